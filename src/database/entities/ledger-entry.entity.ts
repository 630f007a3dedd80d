import { BigIntType, PrimaryKeyProp } from '@mikro-orm/core';
import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/**
 * The books of an account. `wallet`: the amount available; negative if the account owes money. `usage`: the cost of its
 * requests. `fees`: the cost of its plans. `grants`: credit granted, negative. `receivable`: invoiced and not paid yet,
 * negative. `cash`: money received, negative because it came from outside.
 */
const ledgerBooks = ['wallet', 'usage', 'fees', 'grants', 'receivable', 'cash'] as const;
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

  /** Nano-USD: positive if the book gains, negative if it loses. */
  @Property({ type: new BigIntType('bigint') })
  amountNano!: bigint;
}
