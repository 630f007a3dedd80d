import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql.ts';
import type { LedgerBook, PostingKind } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { isUuid } from '../uuid.ts';

/** Postings by callers; settlements are posted by the statement that stores usage. */
export type CallersPosting = Exclude<PostingKind, 'settlement'>;

export interface NewPosting {
  readonly accountId: string;
  /** Nano-USD, positive. */
  readonly amountNano: bigint;
  /** The caller's idempotency key, 1 to 200 characters: an account posts it once, however often it is sent. */
  readonly reference: string;
  /** For people who read the ledger. */
  readonly description?: string;
}

export interface Posted {
  /** The id of the posting. */
  readonly id: string;
  readonly createdAt: Date;
  /** True if it was posted before: nothing was changed. */
  readonly repeated: boolean;
}

/** Nano-USD in each book of an account; see LedgerBook. They sum to zero. */
export type Balances = Readonly<Record<LedgerBook, bigint>>;

/** Which book gains and which loses the amount. */
const sides: Readonly<Record<CallersPosting, readonly [gains: LedgerBook, loses: LedgerBook]>> = {
  grant: ['wallet', 'grants'],
  top_up: ['wallet', 'cash'],
  refund: ['wallet', 'usage'],
  fee: ['fees', 'wallet'],
  fee_refund: ['wallet', 'fees'],
  invoice: ['wallet', 'receivable'],
  invoice_void: ['receivable', 'wallet'],
  payment: ['receivable', 'cash'],
  withdrawal: ['cash', 'wallet'],
  reinstatement: ['wallet', 'cash'],
};

const MAX_REFERENCE_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 1_000;
const MAX_NANO = 2n ** 63n - 1n;

const post = `
with posted as (
  insert into ledger_postings (account_id, kind, reference, description) values ($1, $2, $3, $4)
  on conflict (account_id, reference) where reference is not null do nothing
  returning id, account_id, created_at
),
sides as (
  select id, account_id, side.book, side.amount
  from posted cross join (values ($5::text, $7::bigint), ($6::text, -$7::bigint)) as side(book, amount)
),
entered as (
  insert into ledger_entries (posting_id, book, account_id, amount_nano) select id, book, account_id, amount from sides
),
balanced as (
  insert into ledger_balances (account_id, book, amount_nano) select account_id, book, amount from sides order by 1, 2
  on conflict (account_id, book) do update set amount_nano = ledger_balances.amount_nano + excluded.amount_nano
)
select id, (extract(epoch from created_at) * 1000)::bigint as created_ms from posted`;

const postedBefore = `
select id, kind, (extract(epoch from created_at) * 1000)::bigint as created_ms, amount_nano from ledger_postings join ledger_entries on posting_id = id
where ledger_postings.account_id = $1 and reference = $2 and book = $3`;

interface PostedRow {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly created_ms: string;
}

/**
 * The double-entry ledger of all accounts: each posting moves an amount between two books, and is immutable. A method that
 * receives a `client` works in that client's transaction.
 * @throws SluiceError invalid_value, not_found for an invalid account id, ledger_reference_reused, database_unavailable
 */
export class Ledger {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Credit granted by the operator. */
  grant(posting: NewPosting, client?: SqlClient): Promise<Posted> {
    return this.#post('grant', posting, client);
  }

  /** A payment for credit. */
  topUp(posting: NewPosting, client?: SqlClient): Promise<Posted> {
    return this.#post('top_up', posting, client);
  }

  /** A refund of usage. */
  refund(posting: NewPosting, client?: SqlClient): Promise<Posted> {
    return this.#post('refund', posting, client);
  }

  /** The fee of a plan. */
  fee(posting: NewPosting, client?: SqlClient): Promise<Posted> {
    return this.#post('fee', posting, client);
  }

  /** A refund of a plan's fee. */
  feeRefund(posting: NewPosting, client?: SqlClient): Promise<Posted> {
    return this.#post('fee_refund', posting, client);
  }

  /** Moves the invoiced amount from the wallet's debt to receivables. */
  invoice(posting: NewPosting, client?: SqlClient): Promise<Posted> {
    return this.#post('invoice', posting, client);
  }

  /** Voids an invoice: the wallet owes the amount again. */
  invoiceVoid(posting: NewPosting, client?: SqlClient): Promise<Posted> {
    return this.#post('invoice_void', posting, client);
  }

  /** A payment of an invoice, or a part of it. */
  payment(posting: NewPosting, client?: SqlClient): Promise<Posted> {
    return this.#post('payment', posting, client);
  }

  /** A refund or chargeback of a payment: the wallet owes what it paid for. */
  withdraw(posting: NewPosting, client?: SqlClient): Promise<Posted> {
    return this.#post('withdrawal', posting, client);
  }

  /** Reverses a withdrawal: the money was received again. */
  reinstate(posting: NewPosting, client?: SqlClient): Promise<Posted> {
    return this.#post('reinstatement', posting, client);
  }

  /** Reads one row per book, for any number of postings. */
  balances(accountId: string, client?: SqlClient): Promise<Balances> {
    if (!isUuid(accountId)) throw new SluiceError('not_found', { values: { what: 'account' } });
    return mapDatabaseErrors(async () => {
      const rows = await this.#query<{ book: LedgerBook; amount_nano: string }>(
        client,
        'select book, amount_nano from ledger_balances where account_id = $1',
        [accountId],
      );
      const balances = { wallet: 0n, usage: 0n, fees: 0n, grants: 0n, receivable: 0n, cash: 0n };
      for (const { book, amount_nano: amount } of rows) balances[book] = BigInt(amount);
      return balances;
    });
  }

  async #post(kind: CallersPosting, posting: NewPosting, client: SqlClient | undefined): Promise<Posted> {
    const { accountId, amountNano, reference, description } = posting;
    if (!isUuid(accountId)) throw new SluiceError('not_found', { values: { what: 'account' } });
    if (amountNano <= 0n || amountNano > MAX_NANO) throw invalid('amount', 'it must be positive');
    if (reference === '' || reference.length > MAX_REFERENCE_LENGTH)
      throw invalid('reference', `it must have 1 to ${MAX_REFERENCE_LENGTH} characters`);
    const [gains, loses] = sides[kind];
    const amount = String(amountNano);
    const text = description?.slice(0, MAX_DESCRIPTION_LENGTH) ?? null;
    return mapDatabaseErrors(async () => {
      const values = [accountId, kind, reference, text, gains, loses, amount];
      const [posted] = await this.#query<PostedRow>(client, post, values);
      if (posted !== undefined) return postedAs(posted, false);
      const [before] = await this.#query<PostedRow & { kind: PostingKind; amount_nano: string }>(client, postedBefore, [
        accountId,
        reference,
        gains,
      ]);
      if (before === undefined || before.kind !== kind || before.amount_nano !== amount)
        throw new SluiceError('ledger_reference_reused', { param: 'reference' });
      return postedAs(before, true);
    });
  }

  async #query<Row extends object>(
    client: SqlClient | undefined,
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    if (client === undefined) return this.#database.query<Row>(text, values);
    return (await client.query<Row>(text, [...values])).rows;
  }
}

function postedAs({ id, created_ms: createdMs }: PostedRow, repeated: boolean): Posted {
  return { id, createdAt: new Date(Number(createdMs)), repeated };
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
