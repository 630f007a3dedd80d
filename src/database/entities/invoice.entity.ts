import { randomUUID } from 'node:crypto';
import { BigIntType, OptionalProps } from '@mikro-orm/core';
import { Check, Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';

/** `open`: demanded and not paid. `paid`: also where nothing was left to demand. `void`: demanded no more. */
export const invoiceStatuses = ['open', 'paid', 'void'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** What an account was billed for one period. It references nothing: it outlives the account, and says what it said. */
@Entity({ tableName: 'invoices' })
@Unique({ properties: ['accountId', 'periodStart'] })
// The few that somebody has yet to be told of.
@Index({
  name: 'invoices_to_tell',
  expression:
    "create index invoices_to_tell on invoices (created_at) where status = 'open' and (mailed_at is null or collected_at is null)",
})
@Check({
  name: 'invoices_status_check',
  expression: `status in (${invoiceStatuses.map((status) => `'${status}'`).join(', ')})`,
})
export class Invoice {
  [OptionalProps]?: 'currency' | 'status';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Property({ type: 'uuid' })
  accountId!: string;

  /** For people; an account's own are counted without a gap. */
  @Unique()
  @Property({ type: 'text' })
  number!: string;

  /** As the account was called. */
  @Property({ type: 'text' })
  accountName!: string;

  /** IANA name, as the account had it. */
  @Property({ type: 'text' })
  timeZone!: string;

  @Property({ type: 'datetime', length: 3 })
  periodStart!: Date;

  /** Not part of the period. */
  @Property({ type: 'datetime', length: 3 })
  periodEnd!: Date;

  /** The plan that the period ended with. */
  @Property({ type: 'text' })
  planId!: string;

  @Property({ type: 'text' })
  planName!: string;

  /** ISO 4217. */
  @Property({ type: 'text', default: 'USD' })
  currency: string = 'USD';

  @Property({ type: 'text', default: 'open' })
  status: InvoiceStatus = 'open';

  /** Nano-USD that are demanded: the sum of its lines, in whole cents, never below zero. */
  @Property({ type: new BigIntType('bigint') })
  totalNano!: bigint;

  /** Usage that was stored from here on is on a later invoice. */
  @Property({ type: 'datetime', length: 3 })
  cutoffAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  dueAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  paidAt: Date | null = null;

  /** When its issue was told by mail; null where it was not yet. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  mailedAt: Date | null = null;

  /** When it was handed over to who collects the money; null where it was not yet, or is paid by hand. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  collectedAt: Date | null = null;

  /** How it was paid, in the words of who booked that. */
  @Property({ type: 'text', nullable: true })
  paymentReference: string | null = null;
}
