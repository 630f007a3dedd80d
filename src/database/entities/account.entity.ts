import { randomUUID } from 'node:crypto';
import { JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { ContentLevel } from '../../gateway/content/content-level.ts';
import type { RedactionRules } from '../../gateway/content/redaction/rules.ts';

const contentLevels = ['off', 'metadata', 'full'] as const satisfies readonly ContentLevel[];
const DEFAULT_CONTENT_RETENTION_DAYS = 30;

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
    | 'contentLevel'
    | 'contentRetentionDays'
    | 'contentRedaction'
    | 'contentSearch'
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

  /** The anchor of its billing periods: its creation, or a change to a plan with a different period. */
  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  planSince!: Date;

  /** The plan that takes effect at `pendingPlanAt`; null if no change is pending. */
  @Property({ type: 'text', nullable: true })
  pendingPlan: string | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  pendingPlanAt: Date | null = null;

  /** IANA name; the account's days, months and budget periods follow it. */
  @Property({ type: 'text', default: 'UTC' })
  timeZone: string = 'UTC';

  /**
   * Zero retention: no content of requests is stored after the response: no response, comparison, video, file or cached
   * answer.
   */
  @Property({ type: 'boolean', default: false })
  zeroRetention: boolean = false;

  /** Which content of its requests is stored; null for the instance's default. */
  @Enum({ items: () => [...contentLevels], type: 'text', nullable: true })
  contentLevel: ContentLevel | null = null;

  /** Days until stored content is deleted. */
  @Property({ type: 'integer', default: DEFAULT_CONTENT_RETENTION_DAYS })
  contentRetentionDays: number = DEFAULT_CONTENT_RETENTION_DAYS;

  /** What is replaced in content before it is stored; null for all built-in detectors. */
  @Property({ type: JsonType, nullable: true })
  contentRedaction: RedactionRules | null = null;

  /** Whether the words of its content are stored for search, unencrypted. */
  @Property({ type: 'boolean', default: false })
  contentSearch: boolean = false;

  /** The operator's account: its owners approve other accounts. */
  @Property({ type: 'boolean', default: false })
  isOperator: boolean = false;

  /** It signed up, and is neither verified nor approved by the operator yet: it cannot spend on the operator's credentials. */
  @Property({ type: 'boolean', default: false })
  spendingRestricted: boolean = false;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** An owner deleted it: no requests are served, and it is erased after this time. Null while it is active. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  erasedAfter: Date | null = null;

  /** When it was erased: only rows that its ledger needs remain. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  erasedAt: Date | null = null;
}
