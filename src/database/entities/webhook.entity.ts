import { randomUUID } from 'node:crypto';
import { ArrayType, BlobType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** Where an account is told of what happened. */
@Entity({ tableName: 'webhooks' })
export class Webhook {
  [OptionalProps]?: 'createdAt' | 'lastAttemptAt' | 'lastStatus' | 'lastFailure' | 'lastDeliveredAt';

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
}
