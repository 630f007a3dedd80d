import { randomUUID } from 'node:crypto';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** Money that was taken out of an account's balance to be paid back, and that did not arrive. Kept for ever, as the ledger is. */
@Entity({ tableName: 'failed_refunds' })
export class FailedRefund {
  [OptionalProps]?: 'createdAt' | 'attempts' | 'retriedAt' | 'retryId';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  /** As the payment service names it: it may report one failure several times. */
  @Property({ type: 'text', unique: true })
  refundId!: string;

  @Property({ type: 'uuid' })
  accountId!: string;

  /** The payment that it pays back, as the payment service names it. */
  @Property({ type: 'text' })
  chargeId!: string;

  /** Of USD. */
  @Property({ type: 'integer' })
  cents!: number;

  /** In the payment service's word; null where it gave none. */
  @Property({ type: 'text', nullable: true })
  reason!: string | null;

  /** When the failure was reported. */
  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** How often the payment service refused to try again. */
  @Property({ type: 'integer', default: 0 })
  attempts: number = 0;

  /** When another refund took its place; null until then. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  retriedAt: Date | null = null;

  /** That other refund, as the payment service names it. */
  @Property({ type: 'text', nullable: true })
  retryId: string | null = null;
}
