import { randomUUID } from 'node:crypto';
import { JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** A conversation whose items are kept here: responses continue it, and add theirs. */
@Entity({ tableName: 'conversations' })
@Index({
  name: 'conversations_by_account',
  expression: 'create index conversations_by_account on conversations (account_id, created_at desc, id desc)',
})
export class Conversation {
  [OptionalProps]?: 'id' | 'metadata' | 'createdAt';

  /** Its public id is `conv_` and the 32 hex digits. */
  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** Outlives the key. */
  @Property({ type: 'uuid' })
  apiKeyId!: string;

  @Property({ type: JsonType })
  metadata: Readonly<Record<string, string>> = {};

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;
}
