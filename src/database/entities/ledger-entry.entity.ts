import { BigIntType, PrimaryKeyProp } from '@mikro-orm/core';
import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/**
 * The books of an account. `wallet`: what it may still spend, below zero what it owes. `usage`: what its requests cost. `fees`:
 * what its plans cost. `grants`: credit given, below zero. `receivable`: what was invoiced and is not paid yet, below zero.
 * `cash`: money received, below zero: it came from outside.
 */
export const ledgerBooks = ['wallet', 'usage', 'fees', 'grants', 'receivable', 'cash'] as const;
export type LedgerBook = (typeof ledgerBooks)[number];

export const isLedgerBook = `book in (${ledgerBooks.map((book) => `'${book}'`).join(', ')})`;

/** One side of a posting. Append-only, like the posting. */
@Entity({ tableName: 'ledger_entries', readonly: true })
@Check({ name: 'ledger_entries_book_check', expression: isLedgerBook })
export class LedgerEntry {
  [PrimaryKeyProp]?: ['postingId', 'book'];

  @PrimaryKey({ type: 'bigint', autoincrement: false })
  postingId!: string;

  @PrimaryKey({ type: 'text' })
  book!: LedgerBook;

  @Property({ type: 'uuid' })
  accountId!: string;

  /** Nano-USD: what the book gains; negative what it loses. */
  @Property({ type: new BigIntType('bigint') })
  amountNano!: bigint;
}
