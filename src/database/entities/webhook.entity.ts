import { randomUUID } from 'node:crypto';
import { ArrayType, BlobType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** Where an account is told of what happened. */
@Entity({ tableName: 'webhooks' })
export class Webhook {
  [OptionalProps]?:
    | 'createdAt'
    | 'lastAttemptAt'
    | 'lastStatus'
    | 'lastFailure'
    | 'lastDeliveredAt'
    | 'failures'
    | 'failingSince'
    | 'retryAt'
    | 'disabledAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Index()
  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  @Property({ type: 'text' })
  url!: string;

  /** The types of events that it is told of. */
  @Property({ type: ArrayType, columnType: 'text[]' })
  events!: string[];

  /** The end of the signing secret, for lists: `…x9Zq`. */
  @Property({ type: 'text' })
  secretHint!: string;

  /** What it signs with; see credential-vault.ts. */
  @Property({ type: BlobType, hidden: true })
  sealedSecret!: Buffer;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  lastDeliveredAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  lastAttemptAt: Date | null = null;

  /** HTTP status of the last attempt; null where there was no answer. */
  @Property({ type: 'smallint', nullable: true })
  lastStatus: number | null = null;

  /** Why the last attempt failed, for people; holds nothing that the receiver said. */
  @Property({ type: 'text', nullable: true })
  lastFailure: string | null = null;

  /** Attempts that failed since the last that succeeded. */
  @Property({ type: 'integer', default: 0 })
  failures = 0;

  /** When the first of those attempts was made; null where the last one succeeded. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  failingSince: Date | null = null;

  /** No attempt is made before then; null while none has failed. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  retryAt: Date | null = null;

  /** Since when it receives nothing, because every attempt failed for days; null while it is enabled. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  disabledAt: Date | null = null;
}
