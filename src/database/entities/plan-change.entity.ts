import { randomUUID } from 'node:crypto';
import { BigIntType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';
import type { StoredPlan } from './stored-plan.ts';
import { User } from './user.entity.ts';

/**
 * A change of an account's plan, for its invoices. The fee of a full period is due at its start, by the plan at that time; a
 * change during the period adds its own amount.
 */
@Entity({ tableName: 'plan_changes' })
@Index({ properties: ['account', 'effectiveAt'] })
export class PlanChange {
  [OptionalProps]?: 'createdAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  @Property({ type: 'text' })
  fromPlan!: string;

  @Property({ type: 'text' })
  toPlan!: string;

  /** Nano-USD per period, as billed until then. */
  @Property({ type: new BigIntType('bigint') })
  fromFeeNano!: bigint;

  @Property({ type: new BigIntType('bigint') })
  toFeeNano!: bigint;

  /** Both plans as they were configured at that time; null for changes from before this was recorded. */
  @Property({ type: JsonType, nullable: true })
  fromTerms: StoredPlan | null = null;

  @Property({ type: JsonType, nullable: true })
  toTerms: StoredPlan | null = null;

  /** When the change took effect. */
  @Property({ type: 'datetime', length: 3 })
  effectiveAt!: Date;

  /** The full period of the new plan that contains that time. */
  @Property({ type: 'datetime', length: 3 })
  periodStart!: Date;

  @Property({ type: 'datetime', length: 3 })
  periodEnd!: Date;

  /** Nano-USD that the change adds for the rest of the period; negative if more is refunded than charged. */
  @Property({ type: new BigIntType('bigint') })
  amountNano!: bigint;

  /** Who requested it; null for a scheduled change, or if the user is not known. */
  @ManyToOne(() => User, { nullable: true, deleteRule: 'set null' })
  changedBy: User | null = null;

  @Index()
  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;
}
