import { JsonType } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { StoredPlan } from './stored-plan.ts';

/** Until when an account is billed, whether or not there was anything to bill. Neither time ever decreases. */
@Entity({ tableName: 'billing_marks' })
export class BillingMark {
  @PrimaryKey({ type: 'uuid' })
  accountId!: string;

  /** The end of the last closed period; null if there is none. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  closedUntil: Date | null = null;

  /** Usage of those periods that was stored from this time on is not billed yet. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  cutoffAt: Date | null = null;

  /** The plan at the start of the current period, which is billed; null until it is first read. */
  @Property({ type: JsonType, nullable: true })
  begunWith: StoredPlan | null = null;
}
