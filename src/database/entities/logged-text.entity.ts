import { OptionalProps, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';
import { LoggedContent } from './logged-content.entity.ts';

/**
 * The words of the redacted content of a request, which search looks in: the one copy that is not encrypted. It exists only
 * where the account allows it, and as long as the content can be read.
 */
@Entity({ tableName: 'logged_texts' })
@Index({
  name: 'logged_texts_by_content',
  expression: 'create index logged_texts_by_content on logged_texts (event_id)',
})
@Index({
  name: 'logged_texts_by_document',
  expression: 'create index logged_texts_by_document on logged_texts using gin (document)',
})
@Index({
  name: 'logged_texts_without_keys',
  expression: 'create index logged_texts_without_keys on logged_texts (account_id, event_id) where not is_keyed',
})
export class LoggedText {
  [OptionalProps]?: 'isKeyed';
  [PrimaryKeyProp]?: ['account', 'content'];

  @ManyToOne(() => Account, { primary: true, deleteRule: 'cascade' })
  account!: Account;

  @ManyToOne(() => LoggedContent, { primary: true, fieldName: 'event_id', deleteRule: 'cascade', index: false })
  content!: LoggedContent;

  /** Of the text search configuration `simple`: words as they are, without regard for their language. */
  @Property({ type: 'text', columnType: 'tsvector', hidden: true })
  document!: string;

  /** Whether the document has the keys of account and day; a job adds them to those that were stored without. */
  @Property({ type: 'boolean', default: false })
  isKeyed: boolean = false;
}
