import { randomUUID } from 'node:crypto';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/**
 * An amount that was deducted from an account's balance to be refunded, and whose refund failed. Retained permanently, as the
 * ledger is.
 */
@Entity({ tableName: 'failed_refunds' })
export class FailedRefund {
  [OptionalProps]?: 'createdAt' | 'attempts' | 'retriedAt' | 'retryId';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  /** The payment provider's id: it may report one failure several times. */
  @Property({ type: 'text', unique: true })
  refundId!: string;

  @Property({ type: 'uuid' })
  accountId!: string;

  /** The payment provider's id of the refunded payment. */
  @Property({ type: 'text' })
  chargeId!: string;

  /** US cents. */
  @Property({ type: 'integer' })
  cents!: number;

  /** The payment provider's reason; null if it gave none. */
  @Property({ type: 'text', nullable: true })
  reason!: string | null;

  /** When the failure was reported. */
  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** How often the payment provider rejected a retry. */
  @Property({ type: 'integer', default: 0 })
  attempts: number = 0;

  /** When a new refund replaced it; null until then. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  retriedAt: Date | null = null;

  /** The payment provider's id of that refund. */
  @Property({ type: 'text', nullable: true })
  retryId: string | null = null;
}
