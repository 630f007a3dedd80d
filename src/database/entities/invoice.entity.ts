import { randomUUID } from 'node:crypto';
import { BigIntType, OptionalProps } from '@mikro-orm/core';
import { Check, Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';

/** `open`: payment is due. `paid`: also if the total was zero. `void`: no longer due. */
export const invoiceStatuses = ['open', 'paid', 'void'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** The bill of an account for one period. It has no foreign keys and is immutable, so that it outlives the account. */
@Entity({ tableName: 'invoices' })
@Unique({ properties: ['accountId', 'periodStart'] })
// Invoices that are not mailed or not collected yet: few.
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

  /** For people; an account's invoices are numbered without gaps. */
  @Unique()
  @Property({ type: 'text' })
  number!: string;

  /** The account's name at that time. */
  @Property({ type: 'text' })
  accountName!: string;

  /** IANA name of the account's time zone at that time. */
  @Property({ type: 'text' })
  timeZone!: string;

  @Property({ type: 'datetime', length: 3 })
  periodStart!: Date;

  /** Exclusive. */
  @Property({ type: 'datetime', length: 3 })
  periodEnd!: Date;

  /** The plan at the end of the period. */
  @Property({ type: 'text' })
  planId!: string;

  @Property({ type: 'text' })
  planName!: string;

  /** ISO 4217. */
  @Property({ type: 'text', default: 'USD' })
  currency: string = 'USD';

  @Property({ type: 'text', default: 'open' })
  status: InvoiceStatus = 'open';

  /** The amount due in nano-USD: the sum of its lines, in whole cents, never negative. */
  @Property({ type: new BigIntType('bigint') })
  totalNano!: bigint;

  /** Usage that was stored from this time on is on a later invoice. */
  @Property({ type: 'datetime', length: 3 })
  cutoffAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  dueAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  paidAt: Date | null = null;

  /** When it was mailed; null if it was not yet. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  mailedAt: Date | null = null;

  /** When it was passed to the payment provider; null if it was not yet, or is paid manually. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  collectedAt: Date | null = null;

  /** How it was paid, as entered by whoever booked the payment. */
  @Property({ type: 'text', nullable: true })
  paymentReference: string | null = null;
}
