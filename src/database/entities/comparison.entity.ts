import { randomUUID } from 'node:crypto';
import { BlobType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Check, Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { ComparisonKind, ComparisonQuestion } from '../../gateway/comparisons/lane-state.ts';
import { Account } from './account.entity.ts';

export const comparisonKinds = ['chat', 'image', 'speech', 'embeddings'] as const satisfies readonly ComparisonKind[];

/** One question that several models were asked at once. */
@Entity({ tableName: 'comparisons' })
@Index({
  name: 'comparisons_by_account',
  expression: 'create index comparisons_by_account on comparisons (account_id, created_at desc, id desc)',
})
@Index({
  name: 'comparisons_unfinished',
  expression: 'create index comparisons_unfinished on comparisons (lease_until) where ended_at is null',
})
@Index({
  name: 'comparisons_by_token',
  expression: 'create unique index comparisons_by_token on comparisons (share_token_hash)',
})
@Check({ name: 'comparisons_share_is_whole', expression: '(share_token_hash is null) = (shared_at is null)' })
export class Comparison {
  [OptionalProps]?: 'name' | 'createdAt' | 'endedAt' | 'shareTokenHash' | 'sharedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** Whose requests they were. Outlives the key. */
  @Property({ type: 'uuid' })
  apiKeyId!: string;

  /** The user for whom they were made; null for a key that is nobody's. */
  @Property({ type: 'uuid', nullable: true })
  memberId!: string | null;

  @Enum({ items: () => [...comparisonKinds], type: 'text' })
  kind!: ComparisonKind;

  /** Of the account's own. */
  @Property({ type: 'text', nullable: true })
  name: string | null = null;

  /** Read by itself: it may be a megabyte. */
  @Property({ type: JsonType, lazy: true })
  question!: ComparisonQuestion;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** When the last of its lanes ended. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  endedAt: Date | null = null;

  /** Until when the process that runs it is believed to live, unless it says so again. */
  @Property({ type: 'datetime', length: 3 })
  leaseUntil!: Date;

  /** SHA-256 of what its link holds; null where it is not shared. */
  @Property({ type: BlobType, nullable: true, hidden: true })
  shareTokenHash: Buffer | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  sharedAt: Date | null = null;
}
