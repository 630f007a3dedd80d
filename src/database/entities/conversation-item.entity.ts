import { JsonType, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';
import { Conversation } from './conversation.entity.ts';

/** One item of a conversation, as a client or a model wrote it. */
@Entity({ tableName: 'conversation_items' })
@Index({
  name: 'conversation_items_by_position',
  expression: 'create unique index conversation_items_by_position on conversation_items (conversation_id, position)',
})
export class ConversationItem {
  [PrimaryKeyProp]?: ['conversation', 'itemId'];

  @ManyToOne(() => Conversation, { primary: true, deleteRule: 'cascade' })
  conversation!: Conversation;

  /** Its public id, unique in its conversation. */
  @PrimaryKey({ type: 'text' })
  itemId!: string;

  @Index()
  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** From 0; those of deleted items are not used again. */
  @Property({ type: 'integer' })
  position!: number;

  @Property({ type: JsonType })
  item!: object;

  /** The request whose turn it belongs to; null for one that a client added. */
  @Property({ type: 'uuid', nullable: true })
  eventId!: string | null;
}
