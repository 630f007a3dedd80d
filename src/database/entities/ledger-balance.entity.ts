import { BigIntType, PrimaryKeyProp } from '@mikro-orm/core';
import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { isLedgerBook, type LedgerBook } from './ledger-entry.entity.ts';

/** The sum of a book's entries, updated by the statement that inserts them. */
@Entity({ tableName: 'ledger_balances', readonly: true })
@Check({ name: 'ledger_balances_book_check', expression: isLedgerBook })
export class LedgerBalance {
  [PrimaryKeyProp]?: ['accountId', 'book'];

  @PrimaryKey({ type: 'uuid' })
  accountId!: string;

  @PrimaryKey({ type: 'text' })
  book!: LedgerBook;

  /** Nano-USD. */
  @Property({ type: new BigIntType('bigint') })
  amountNano!: bigint;
}
