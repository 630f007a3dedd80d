import { randomUUID } from 'node:crypto';
import { BigIntType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';
import type { StoredPlan } from './stored-plan.ts';
import { User } from './user.entity.ts';

/**
 * An account's plan became another: for its invoices. The fee of each whole period is due when that period begins, by the plan
 * that the account has from that moment on; what a change makes due beside those is its amount.
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

  /** Nano-USD a period, as it was billed until then. */
  @Property({ type: new BigIntType('bigint') })
  fromFeeNano!: bigint;

  @Property({ type: new BigIntType('bigint') })
  toFeeNano!: bigint;

  /** What was and is billed of both, as it was configured; null of changes that were made before this was kept. */
  @Property({ type: JsonType, nullable: true })
  fromTerms: StoredPlan | null = null;

  @Property({ type: JsonType, nullable: true })
  toTerms: StoredPlan | null = null;

  /** From this moment on. */
  @Property({ type: 'datetime', length: 3 })
  effectiveAt!: Date;

  /** When the new plan's whole period around that moment began and ends. */
  @Property({ type: 'datetime', length: 3 })
  periodStart!: Date;

  @Property({ type: 'datetime', length: 3 })
  periodEnd!: Date;

  /** Nano-USD that the change makes due for what is left of the period; negative where more is given back. */
  @Property({ type: new BigIntType('bigint') })
  amountNano!: bigint;

  /** Who asked for it; null where it fell due, or nobody is known. */
  @ManyToOne(() => User, { nullable: true, deleteRule: 'set null' })
  changedBy: User | null = null;

  @Index()
  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;
}
