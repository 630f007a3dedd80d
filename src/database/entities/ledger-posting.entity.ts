import { OptionalProps } from '@mikro-orm/core';
import { Check, Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

const postingKinds = [
  'settlement',
  'refund',
  'grant',
  'top_up',
  'fee',
  'fee_refund',
  'invoice',
  'invoice_void',
  'payment',
  'withdrawal',
  'reinstatement',
] as const;
export type PostingKind = (typeof postingKinds)[number];

/** One posting. Its entries sum to zero. Append-only: the database rejects changes and deletions. */
@Entity({ tableName: 'ledger_postings', readonly: true })
@Index({
  name: 'ledger_postings_by_reference',
  expression:
    'create unique index ledger_postings_by_reference on ledger_postings (account_id, reference) where reference is not null',
})
@Index({
  name: 'ledger_postings_by_account',
  expression: 'create index ledger_postings_by_account on ledger_postings (account_id, id desc)',
})
@Check({
  name: 'ledger_postings_kind_check',
  expression: `kind in (${postingKinds.map((kind) => `'${kind}'`).join(', ')})`,
})
export class LedgerPosting {
  [OptionalProps]?: 'reference' | 'description' | 'createdAt';

  @PrimaryKey({ type: 'bigint' })
  id!: string;

  @Property({ type: 'uuid' })
  accountId!: string;

  @Property({ type: 'text' })
  kind!: PostingKind;

  /** The caller's idempotency key, so that it is posted once; settlements have none. */
  @Property({ type: 'text', nullable: true })
  reference: string | null = null;

  @Property({ type: 'text', nullable: true })
  description: string | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;
}
