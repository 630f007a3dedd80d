import { BigIntType, JsonType, OptionalProps, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { RecordedRouting } from '../../gateway/routing/selection/routing-decision.ts';
import type {
  TokenRates,
  UsageAttempt,
  UsageRecord,
  UsageStatus,
  RecordedUnits,
} from '../../gateway/usage/usage-record.ts';

/**
 * One settled request; the columns are those of UsageRecord. Append-only and partitioned by month of `began_at`. It has no
 * foreign keys, so that a row outlives its key, member and account.
 */
// The migration partitions the table; months are created over time by ensure_usage_partition().
@Entity({ tableName: 'usage_logs', readonly: true })
// Earlier versions insert with `on conflict (event_id, began_at)`: unique until none of them writes to a migrated database.
@Index({
  name: 'usage_logs_by_event',
  expression: 'create unique index usage_logs_by_event on usage_logs (event_id, began_at)',
})
@Index({
  name: 'usage_logs_by_key',
  expression: 'create index usage_logs_by_key on usage_logs (api_key_id, began_at, event_id)',
})
@Index({
  name: 'usage_logs_by_model',
  expression: 'create index usage_logs_by_model on usage_logs (account_id, model, began_at, event_id)',
})
@Index({
  name: 'usage_logs_by_provider',
  expression: 'create index usage_logs_by_provider on usage_logs (account_id, provider, began_at, event_id)',
})
@Index({
  name: 'usage_logs_by_fault',
  expression:
    "create index usage_logs_by_fault on usage_logs (account_id, status, began_at, event_id) where status <> 'succeeded'",
})
@Index({
  name: 'usage_logs_by_end_user',
  expression:
    'create index usage_logs_by_end_user on usage_logs (account_id, end_user, began_at, event_id) where end_user is not null',
})
// Rows arrive in the order of this column, so a few bytes per page range suffice to find late ones.
@Index({
  name: 'usage_logs_by_settling',
  expression: 'create index usage_logs_by_settling on usage_logs using brin (settled_at)',
})
@Index({
  name: 'usage_logs_by_tags',
  expression: 'create index usage_logs_by_tags on usage_logs using gin (tags jsonb_path_ops) where tags is not null',
})
@Index({
  name: 'usage_logs_by_session',
  expression:
    'create index usage_logs_by_session on usage_logs (account_id, session_id, began_at, event_id) where session_id is not null',
})
// For the list of sessions, which starts with the newest request of any.
@Index({
  name: 'usage_logs_in_sessions',
  expression:
    'create index usage_logs_in_sessions on usage_logs (account_id, began_at, event_id) where session_id is not null',
})
@Index({
  name: 'usage_logs_by_trace',
  expression:
    'create index usage_logs_by_trace on usage_logs (account_id, trace_id, began_at, event_id) where trace_id is not null',
})
export class UsageLog {
  [OptionalProps]?: 'settledAt';
  [PrimaryKeyProp]?: ['accountId', 'beganAt', 'eventId'];

  // Ascending, although pages start with the newest rows: an index can be scanned backwards, and was measured to have the same
  // size in either direction.
  @PrimaryKey({ type: 'uuid' })
  accountId!: string;

  @PrimaryKey({ type: 'datetime', length: 3 })
  beganAt!: Date;

  @PrimaryKey({ type: 'uuid' })
  eventId!: string;

  @Property({ type: 'uuid' })
  apiKeyId!: string;

  @Property({ type: 'uuid', nullable: true })
  memberId: string | null = null;

  @Property({ type: 'text' })
  capability!: string;

  /** The client's protocol of text generation; null for other capabilities, and where it is not known. */
  @Property({ type: 'text', nullable: true })
  protocol: NonNullable<UsageRecord['protocol']> | null = null;

  /** Canonical: `provider/model`. */
  @Property({ type: 'text' })
  model!: string;

  @Property({ type: 'text' })
  requestedModel!: string;

  @Property({ type: 'text' })
  provider!: string;

  @Property({ type: 'text' })
  status!: UsageStatus;

  @Property({ type: 'smallint' })
  httpStatus!: number;

  @Property({ type: 'text', nullable: true })
  errorCode: string | null = null;

  @Property({ type: 'boolean' })
  streamed!: boolean;

  /** True if tokens were estimated here, not reported by the provider. */
  @Property({ type: 'boolean' })
  estimated!: boolean;

  @Property({ type: 'integer' })
  inputTokens!: number;

  @Property({ type: 'integer' })
  outputTokens!: number;

  @Property({ type: 'integer' })
  cachedTokens!: number;

  @Property({ type: 'integer' })
  reasoningTokens!: number;

  /** Usage other than tokens. */
  @Property({ type: JsonType, nullable: true })
  units: RecordedUnits | null = null;

  /** Nano-USD. */
  @Property({ type: new BigIntType('bigint') })
  costNano!: bigint;

  /**
   * Nano-USD: what the response cache saved where the response is from it, else what the provider's prompt cache saved. Null
   * where no cache was used or no price is known, and for requests from before it was recorded.
   */
  @Property({ type: new BigIntType('bigint'), nullable: true })
  cacheSavingsNano: bigint | null = null;

  @Property({ type: 'text' })
  priceVersion!: string;

  @Property({ type: JsonType, nullable: true })
  rates: TokenRates | null = null;

  /** The plan's markup in parts per million; null for none. */
  @Property({ type: 'integer', nullable: true })
  markupPpm: number | null = null;

  @Property({ type: 'text', nullable: true })
  finishReason: string | null = null;

  @Property({ type: 'integer' })
  durationMs!: number;

  @Property({ type: 'integer', nullable: true })
  firstTokenMs: number | null = null;

  /** When its limits were reserved, in milliseconds since it arrived; null for rows of earlier versions. */
  @Property({ type: 'integer', nullable: true })
  admittedMs: number | null = null;

  /** When the last output was sent to the client; null as above, and for none. */
  @Property({ type: 'integer', nullable: true })
  lastOutputMs: number | null = null;

  @Property({ type: 'text', nullable: true })
  endUser: string | null = null;

  @Property({ type: JsonType, nullable: true })
  tags: Readonly<Record<string, string>> | null = null;

  /** The session that the client named. */
  @Property({ type: 'text', nullable: true })
  sessionId: string | null = null;

  /** What it is a part of: the `x-request-id` of another request, or any name. */
  @Property({ type: 'text', nullable: true })
  parentId: string | null = null;

  /** The trace ID of W3C Trace Context. */
  @Property({ type: 'text', nullable: true })
  traceId: string | null = null;

  /** What was to be stored of its content; null where that was not logged. */
  @Property({ type: 'text', nullable: true })
  contentLevel: 'metadata' | 'full' | null = null;

  @Property({ type: JsonType })
  attempts!: readonly UsageAttempt[];

  /** How its targets were selected; null where its route has one, and for older requests. */
  @Property({ type: JsonType, nullable: true })
  routing: RecordedRouting | null = null;

  /** When the row was stored. */
  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  settledAt!: Date;
}
