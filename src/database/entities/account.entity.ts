import { randomUUID } from 'node:crypto';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** The tenant: keys, usage and money belong to an account, never to a user. */
@Entity({ tableName: 'accounts' })
@Index({
  name: 'accounts_erased_after',
  expression:
    'create index accounts_erased_after on accounts (erased_after) where erased_after is not null and erased_at is null',
})
@Index({
  name: 'accounts_spending_restricted',
  expression:
    'create index accounts_spending_restricted on accounts (created_at, id) where spending_restricted and erased_at is null',
})
@Index({
  name: 'accounts_pending_plan',
  expression: 'create index accounts_pending_plan on accounts (pending_plan_at) where pending_plan_at is not null',
})
export class Account {
  [OptionalProps]?:
    | 'plan'
    | 'planSince'
    | 'pendingPlan'
    | 'pendingPlanAt'
    | 'timeZone'
    | 'zeroRetention'
    | 'isOperator'
    | 'spendingRestricted'
    | 'createdAt'
    | 'erasedAfter'
    | 'erasedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Property({ type: 'text' })
  name!: string;

  /** A plan's id, such as `free` or `enterprise`. */
  @Property({ type: 'text', default: 'enterprise' })
  plan: string = 'enterprise';

  /** Since when its periods are counted as they are now: its start, or a change to a plan of other periods. */
  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  planSince!: Date;

  /** The plan that it will have from `pendingPlanAt` on; null where it keeps its own. */
  @Property({ type: 'text', nullable: true })
  pendingPlan: string | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  pendingPlanAt: Date | null = null;

  /** IANA name; days, months and budgets of the account begin by it. */
  @Property({ type: 'text', default: 'UTC' })
  timeZone: string = 'UTC';

  /** Nothing of what its requests say is kept once they are answered: no response, comparison, video, file or cached answer. */
  @Property({ type: 'boolean', default: false })
  zeroRetention: boolean = false;

  /** Of who runs this server: its owners approve the accounts of others. */
  @Property({ type: 'boolean', default: false })
  isOperator: boolean = false;

  /** It signed up, and neither a proved address nor the operator vouches for it yet: nothing is spent on the operator's credentials. */
  @Property({ type: 'boolean', default: false })
  spendingRestricted: boolean = false;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** An owner deleted it: nothing is served, and it is erased from then on. Null while it lives. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  erasedAfter: Date | null = null;

  /** When it was erased: what is left is what its ledger needs. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  erasedAt: Date | null = null;
}
