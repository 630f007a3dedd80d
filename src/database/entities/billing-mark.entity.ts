import { JsonType } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { StoredPlan } from './stored-plan.ts';

/** How far an account was billed, whether there was anything to bill or not. Neither moment ever goes back. */
@Entity({ tableName: 'billing_marks' })
export class BillingMark {
  @PrimaryKey({ type: 'uuid' })
  accountId!: string;

  /** The end of the last period that was closed; null where none was. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  closedUntil: Date | null = null;

  /** Usage of those periods that was stored from here on is not billed yet. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  cutoffAt: Date | null = null;

  /** The plan that the running period began with, by which it is billed; null where nobody looked yet. */
  @Property({ type: JsonType, nullable: true })
  begunWith: StoredPlan | null = null;
}
