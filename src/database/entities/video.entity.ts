import { BigIntType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { TokenRates } from '../../gateway/usage/usage-record.ts';
import { Account } from './account.entity.ts';

const videoStatuses = ['queued', 'in_progress', 'completed', 'failed'] as const;
export type VideoStatus = (typeof videoStatuses)[number];

/** A video that a provider generates or has generated. Its content is stored by the provider. */
@Entity({ tableName: 'videos' })
@Index({
  name: 'videos_by_account',
  expression: 'create index videos_by_account on videos (account_id, created_at desc, id desc)',
})
@Index({
  name: 'videos_unsettled',
  expression: 'create index videos_unsettled on videos (poll_at) where settled_at is null',
})
export class Video {
  [OptionalProps]?:
    | 'memberId'
    | 'upstreamState'
    | 'status'
    | 'progress'
    | 'quality'
    | 'errorCode'
    | 'errorMessage'
    | 'remixedFrom'
    | 'rates'
    | 'markupPpm'
    | 'tags'
    | 'sessionId'
    | 'traceId'
    | 'costNano'
    | 'billEventId'
    | 'estimated'
    | 'completedAt'
    | 'expiresAt'
    | 'settledAt';

  /** The UUIDv7 of the request that created it; its public id is `video_` and the 32 hex digits. */
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** Outlives the key. */
  @Property({ type: 'uuid' })
  apiKeyId!: string;

  @Property({ type: 'uuid', nullable: true })
  memberId: string | null = null;

  /** As `Connection.id`: a provider's id, or an account's own connection. */
  @Property({ type: 'text' })
  connectionId!: string;

  @Property({ type: 'text' })
  provider!: string;

  /** Canonical: `provider/model`. */
  @Property({ type: 'text' })
  model!: string;

  @Property({ type: 'text' })
  requestedModel!: string;

  /** The provider's name for the model. */
  @Property({ type: 'text' })
  upstreamModel!: string;

  /** The provider's job id. */
  @Property({ type: 'text' })
  upstreamId!: string;

  /** Further data by which the provider identifies the job. */
  @Property({ type: JsonType, defaultRaw: "'{}'" })
  upstreamState: Readonly<Record<string, string>> = {};

  @Property({ type: 'text', default: 'queued' })
  status: VideoStatus = 'queued';

  /** 0 to 100. */
  @Property({ type: 'smallint', default: 0 })
  progress: number = 0;

  /** Null if neither the request nor the provider states it. */
  @Property({ type: 'double', nullable: true })
  seconds!: number | null;

  /** `1280x720`; null if neither the request nor the provider states it. */
  @Property({ type: 'text', nullable: true })
  size!: string | null;

  /** As named in the prices. */
  @Property({ type: 'text', nullable: true })
  quality: string | null = null;

  @Property({ type: 'text' })
  prompt!: string;

  @Property({ type: 'text', nullable: true })
  errorCode: string | null = null;

  /** For the client. */
  @Property({ type: 'text', nullable: true })
  errorMessage: string | null = null;

  @Property({ type: 'uuid', nullable: true })
  remixedFrom: string | null = null;

  /** The rates of the day on which it was created. */
  @Property({ type: JsonType, nullable: true })
  rates: TokenRates | null = null;

  /** The plan's markup on that day in parts per million; null for none. */
  @Property({ type: 'integer', nullable: true })
  markupPpm: number | null = null;

  /** The tags of the request that created it. */
  @Property({ type: JsonType, nullable: true })
  tags: Readonly<Record<string, string>> | null = null;

  /** The session of that request. */
  @Property({ type: 'text', nullable: true })
  sessionId: string | null = null;

  /** Its trace ID of W3C Trace Context. */
  @Property({ type: 'text', nullable: true })
  traceId: string | null = null;

  @Property({ type: 'text' })
  priceVersion!: string;

  /** Nano-USD; null until it is completed. */
  @Property({ type: new BigIntType('bigint'), nullable: true })
  costNano: bigint | null = null;

  /** The event id of the usage record that bills it. */
  @Property({ type: 'uuid', nullable: true })
  billEventId: string | null = null;

  /** Whether the provider did not report its length: the requested or default length is billed. */
  @Property({ type: 'boolean', default: false })
  estimated: boolean = false;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  completedAt: Date | null = null;

  /** Until when the provider stores the content; null if unknown. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  expiresAt: Date | null = null;

  /** When polling is abandoned and the video fails. */
  @Property({ type: 'datetime', length: 3 })
  deadlineAt!: Date;

  /** The next poll of the provider. It is moved before each poll, so that no two polls run concurrently. */
  @Property({ type: 'datetime', length: 3 })
  pollAt!: Date;

  /** When its completion was fully processed: billed, and its event published. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  settledAt: Date | null = null;
}
