import { randomUUID } from 'node:crypto';
import { ArrayType, BlobType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** An endpoint that receives an account's events. */
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

  /** The event types that it receives. */
  @Property({ type: ArrayType, columnType: 'text[]' })
  events!: string[];

  /** The end of the signing secret, for lists: `…x9Zq`. */
  @Property({ type: 'text' })
  secretHint!: string;

  /** The signing secret; see credential-vault.ts. */
  @Property({ type: BlobType, hidden: true })
  sealedSecret!: Buffer;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  lastDeliveredAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  lastAttemptAt: Date | null = null;

  /** HTTP status of the last attempt; null if there was no response. */
  @Property({ type: 'smallint', nullable: true })
  lastStatus: number | null = null;

  /** Why the last attempt failed, for people; contains nothing from the response. */
  @Property({ type: 'text', nullable: true })
  lastFailure: string | null = null;

  /** Consecutive failed attempts. */
  @Property({ type: 'integer', default: 0 })
  failures = 0;

  /** When the first of those attempts was made; null if the last one succeeded. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  failingSince: Date | null = null;

  /** No attempt is made before this time; null if none has failed. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  retryAt: Date | null = null;

  /** Since when it receives no events, because every attempt failed for days; null while it is enabled. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  disabledAt: Date | null = null;
}
