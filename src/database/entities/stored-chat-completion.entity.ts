import { BigIntType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** A stored chat completion: its messages and the model's. */
@Entity({ tableName: 'chat_completions' })
@Index({
  name: 'chat_completions_by_completion_id',
  expression: 'create index chat_completions_by_completion_id on chat_completions (account_id, completion_id)',
})
@Index({
  name: 'chat_completions_by_account',
  expression: 'create index chat_completions_by_account on chat_completions (account_id, created_at desc, id desc)',
})
@Index({
  name: 'chat_completions_by_expiry',
  expression: 'create index chat_completions_by_expiry on chat_completions (expires_at)',
})
export class StoredChatCompletion {
  [OptionalProps]?: 'memberId' | 'servedModel' | 'costNano';

  /** A UUIDv7 of the time of its request. Clients name it by its `completionId`. */
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** Outlives the key. */
  @Property({ type: 'uuid' })
  apiKeyId!: string;

  @Property({ type: 'uuid', nullable: true })
  memberId: string | null = null;

  /** The `id` of the completion, which its client received. */
  @Property({ type: 'text' })
  completionId!: string;

  /** As requested. */
  @Property({ type: 'text' })
  model!: string;

  /** As the completion names it: a filter reads no completion for it. */
  @Property({ type: 'text', nullable: true })
  servedModel: string | null = null;

  @Property({ type: JsonType })
  metadata!: Readonly<Record<string, string>>;

  /** The messages of the request. */
  @Property({ type: JsonType })
  messages!: readonly Readonly<Record<string, unknown>>[];

  /** The completion object as returned to clients, without its metadata. */
  @Property({ type: JsonType })
  completion!: Readonly<Record<string, unknown>>;

  /** Nano-USD; null if it is not known. */
  @Property({ type: new BigIntType('bigint'), nullable: true })
  costNano: bigint | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** When it expires. */
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;
}
