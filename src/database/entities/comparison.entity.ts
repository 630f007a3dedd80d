import { randomUUID } from 'node:crypto';
import { BlobType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Check, Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { ComparisonKind, ComparisonQuestion } from '../../gateway/comparisons/lane-state.ts';
import { Account } from './account.entity.ts';

const comparisonKinds = ['chat', 'image', 'speech', 'embeddings'] as const satisfies readonly ComparisonKind[];

/** One prompt that was sent to several models concurrently. */
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

  /** The key that its requests ran as. Outlives the key. */
  @Property({ type: 'uuid' })
  apiKeyId!: string;

  /** The user for whom they ran; null for a key that belongs to no member. */
  @Property({ type: 'uuid', nullable: true })
  memberId!: string | null;

  @Enum({ items: () => [...comparisonKinds], type: 'text' })
  kind!: ComparisonKind;

  /** The user's name for it. */
  @Property({ type: 'text', nullable: true })
  name: string | null = null;

  /** Lazy, because it may be a megabyte long. */
  @Property({ type: JsonType, lazy: true })
  question!: ComparisonQuestion;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** When its last lane finished. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  endedAt: Date | null = null;

  /** When the lease of the process that runs it expires unless it is renewed. */
  @Property({ type: 'datetime', length: 3 })
  leaseUntil!: Date;

  /** SHA-256 of the token in its share link; null if it is not shared. */
  @Property({ type: BlobType, nullable: true, hidden: true })
  shareTokenHash: Buffer | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  sharedAt: Date | null = null;
}
