import { BlobType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** Why content can no longer be read: there was no memory or time to store it, a person deleted it, or its retention ended. */
export type LoggedContentState = 'stored' | 'dropped' | 'deleted' | 'expired';

/** Where the logged content of a request is: a part of a segment, under a key of its own. Without the key it is unreadable. */
@Entity({ tableName: 'logged_contents' })
@Index({
  name: 'logged_contents_by_account',
  expression: 'create index logged_contents_by_account on logged_contents (account_id, event_id)',
})
@Index({
  name: 'logged_contents_by_segment',
  expression: 'create index logged_contents_by_segment on logged_contents (segment_id) where segment_id is not null',
})
export class LoggedContent {
  [OptionalProps]?: 'level' | 'segmentId' | 'position' | 'length' | 'wrappedKey' | 'redactions';

  /** Of the request: a UUIDv7, which starts with its time. */
  @PrimaryKey({ type: 'uuid' })
  eventId!: string;

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  @Property({ type: 'text' })
  state!: LoggedContentState;

  /** What is stored: the redacted bodies, or their shape; null where nothing is. */
  @Property({ type: 'text', nullable: true })
  level: 'metadata' | 'full' | null = null;

  /** The blob; null for content that is not stored. */
  @Property({ type: 'uuid', nullable: true })
  segmentId: string | null = null;

  /** In the segment, in bytes. */
  @Property({ type: 'integer', nullable: true })
  position: number | null = null;

  /** Bytes. */
  @Property({ type: 'integer', nullable: true })
  length: number | null = null;

  /** The key of the content, encrypted under the account's; null for content that is not stored. */
  @Property({ type: BlobType, nullable: true, hidden: true })
  wrappedKey: Buffer | null = null;

  /** Occurrences by the names of the rules. */
  @Property({ type: JsonType, nullable: true })
  redactions: Readonly<Record<string, number>> | null = null;
}
