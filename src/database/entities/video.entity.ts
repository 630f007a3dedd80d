import { BigIntType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { TokenRates } from '../../gateway/usage-record.ts';
import { Account } from './account.entity.ts';

export const videoStatuses = ['queued', 'in_progress', 'completed', 'failed'] as const;
export type VideoStatus = (typeof videoStatuses)[number];

/** A video that a provider makes, or has made. Its content stays with the provider. */
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
    | 'costNano'
    | 'billEventId'
    | 'estimated'
    | 'completedAt'
    | 'expiresAt'
    | 'settledAt';

  /** The UUIDv7 of the request that began it; its public id is `video_` and the 32 hex digits. */
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

  /** The provider's own name of the model. */
  @Property({ type: 'text' })
  upstreamModel!: string;

  /** The provider's own id of the job. */
  @Property({ type: 'text' })
  upstreamId!: string;

  /** What else the provider finds it by. */
  @Property({ type: JsonType, defaultRaw: "'{}'" })
  upstreamState: Readonly<Record<string, string>> = {};

  @Property({ type: 'text', default: 'queued' })
  status: VideoStatus = 'queued';

  /** 0 to 100. */
  @Property({ type: 'smallint', default: 0 })
  progress: number = 0;

  /** Null where nobody says. */
  @Property({ type: 'double', nullable: true })
  seconds!: number | null;

  /** `1280x720`; null where nobody says. */
  @Property({ type: 'text', nullable: true })
  size!: string | null;

  /** As the prices name it. */
  @Property({ type: 'text', nullable: true })
  quality: string | null = null;

  @Property({ type: 'text' })
  prompt!: string;

  @Property({ type: 'text', nullable: true })
  errorCode: string | null = null;

  /** For the caller. */
  @Property({ type: 'text', nullable: true })
  errorMessage: string | null = null;

  @Property({ type: 'uuid', nullable: true })
  remixedFrom: string | null = null;

  /** Of the day on which it was begun. */
  @Property({ type: JsonType, nullable: true })
  rates: TokenRates | null = null;

  /** What the plan of that day adds to the cost, in parts per million; null for nothing. */
  @Property({ type: 'integer', nullable: true })
  markupPpm: number | null = null;

  /** Of the request that began it. */
  @Property({ type: JsonType, nullable: true })
  tags: Readonly<Record<string, string>> | null = null;

  @Property({ type: 'text' })
  priceVersion!: string;

  /** Nano-USD; null until it is completed. */
  @Property({ type: new BigIntType('bigint'), nullable: true })
  costNano: bigint | null = null;

  /** Of the usage record that bills it. */
  @Property({ type: 'uuid', nullable: true })
  billEventId: string | null = null;

  /** Whether its length was not told by its provider: what is billed is what was asked for, or what is usual. */
  @Property({ type: 'boolean', default: false })
  estimated: boolean = false;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  completedAt: Date | null = null;

  /** Until when the provider keeps the content; null where it does not say. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  expiresAt: Date | null = null;

  /** When it is given up. */
  @Property({ type: 'datetime', length: 3 })
  deadlineAt!: Date;

  /** When its provider is asked next. Whoever asks puts it off first: no two ask at once. */
  @Property({ type: 'datetime', length: 3 })
  pollAt!: Date;

  /** When all that follows from its end was done: billed, and told. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  settledAt: Date | null = null;
}
