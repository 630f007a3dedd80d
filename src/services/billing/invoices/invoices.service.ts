import type { FilterQuery } from '@mikro-orm/core';
import { insertAudit } from '../../../database/audit/record.ts';
import type { Database } from '../../../database/database.ts';
import type { SqlClient } from '../../../database/sql.ts';
import { Invoice, InvoiceLine, type InvoiceStatus } from '../../../database/entities/index.ts';
import { SluiceError } from '../../../errors/index.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import { isUuid } from '../../uuid.ts';
import { postingReference } from './invoice-references.ts';
import type { Ledger } from '../ledger.ts';

export interface InvoicePage {
  readonly rows: readonly Invoice[];
  readonly hasMore: boolean;
}

export interface InvoiceWithLines {
  readonly invoice: Invoice;
  /** By position. */
  readonly lines: readonly InvoiceLine[];
}

export interface InvoiceFilter {
  readonly accountId?: string | undefined;
  readonly status?: InvoiceStatus | undefined;
}

export interface CollectedPayment {
  readonly accountId: string;
  readonly amountNano: bigint;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  /** How it was paid, for people. */
  readonly reference: string;
}

interface DemandedInvoice {
  readonly id: string;
  readonly accountId: string;
  readonly number: string;
  readonly amountNano: bigint;
}

const MAX_LISTED = 1_000;
const MAX_NUMBER_LENGTH = 40;
const MAX_REFERENCE_LENGTH = 200;

/** Reads invoices, and records payments and voids. Every method also throws SluiceError database_unavailable. */
export class InvoicesService {
  readonly #database: Database;
  readonly #ledger: Ledger;

  constructor(database: Database, ledger: Ledger) {
    this.#database = database;
    this.#ledger = ledger;
  }

  /** An account's invoices, newest first, of periods that began before `from`. */
  page(accountId: string, limit: number, from: Date | null, backwards = false): Promise<InvoicePage> {
    return mapDatabaseErrors(async () => {
      const where: FilterQuery<Invoice> = { accountId };
      if (from !== null) where.periodStart = backwards ? { $gt: from } : { $lt: from };
      const orderBy = { periodStart: backwards ? 'asc' : 'desc' } as const;
      const rows = await this.#database.em().find(Invoice, where, { orderBy, limit: limit + 1 });
      return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
    });
  }

  /** An invoice of the account; null if there is none with this id. */
  async find(accountId: string, id: string): Promise<Invoice | null> {
    const [found = null] = await this.byIds(accountId, [id]);
    return found;
  }

  /** The account's invoices among these ids. */
  byIds(accountId: string, ids: readonly string[]): Promise<Invoice[]> {
    const id = { $in: ids.filter(isUuid) };
    return mapDatabaseErrors(() => this.#database.em().find(Invoice, { accountId, id }));
  }

  /** Lines of several invoices, each by position. */
  linesOf(invoiceIds: readonly string[]): Promise<readonly InvoiceLine[]> {
    return mapDatabaseErrors(() =>
      this.#database
        .em()
        .find(InvoiceLine, { invoice: { $in: [...invoiceIds] } }, { orderBy: { invoice: 'asc', position: 'asc' } }),
    );
  }

  /** @param accountId the account that must own it; undefined for the operator. @throws SluiceError not_found */
  byNumber(number: string, accountId?: string): Promise<InvoiceWithLines> {
    return mapDatabaseErrors(async () => {
      const wanted = number.slice(0, MAX_NUMBER_LENGTH).toUpperCase();
      const where = accountId === undefined ? { number: wanted } : { number: wanted, accountId };
      const invoice = await this.#database.em().findOne(Invoice, where);
      if (invoice === null) throw noInvoice();
      return { invoice, lines: await this.linesOf([invoice.id]) };
    });
  }

  /** For the operator: newest first, at most a thousand. */
  list({ accountId, status }: InvoiceFilter): Promise<readonly Invoice[]> {
    return mapDatabaseErrors(async () => {
      const where: FilterQuery<Invoice> = {};
      if (accountId !== undefined) where.accountId = accountId;
      if (status !== undefined) where.status = status;
      const orderBy = { createdAt: 'desc', number: 'desc' } as const;
      return this.#database.em().find(Invoice, where, { orderBy, limit: MAX_LISTED });
    });
  }

  /**
   * Records the payment of an invoice. No effect if it is already paid.
   * @param reference how it was paid, for people
   * @throws SluiceError not_found | invoice_not_open
   */
  pay(number: string, reference: string | null, now = new Date()): Promise<void> {
    return this.#decide(number, 'paid', (client, open) => this.#book(client, { ...open, number }, reference, now));
  }

  /**
   * Records a payment for the open invoices that were collected in a time range: the oldest that it covers are paid.
   * @returns the remaining nano-USD
   */
  async payWithin(
    client: SqlClient,
    { accountId, amountNano, from, to, reference }: CollectedPayment,
  ): Promise<bigint> {
    const { rows } = await client.query<{ id: string; number: string; total_nano: string }>(
      `select id, number, total_nano from invoices
      where account_id = $1 and status = 'open' and collected_at >= $2 and collected_at < $3
      order by collected_at, period_start for update`,
      [accountId, from, to],
    );
    let left = amountNano;
    for (const { id, number, total_nano: total } of rows) {
      if (BigInt(total) > left) continue;
      left -= BigInt(total);
      await this.#book(client, { id, accountId, number, amountNano: BigInt(total) }, reference, new Date());
    }
    return left;
  }

  async #book(
    client: SqlClient,
    { id, accountId, number, amountNano }: DemandedInvoice,
    reference: string | null,
    now: Date,
  ): Promise<void> {
    const posting = { accountId, amountNano, reference: postingReference(id, 'payment') };
    await this.#ledger.payment({ ...posting, description: reference ?? `Invoice ${number} was paid` }, client);
    await client.query("update invoices set status = 'paid', paid_at = $2, payment_reference = $3 where id = $1", [
      id,
      now,
      reference?.slice(0, MAX_REFERENCE_LENGTH) ?? null,
    ]);
  }

  /**
   * Voids an invoice: its amount is returned to the account's wallet as debt.
   * @param forgive whether the debt is waived as well
   * @throws SluiceError not_found | invoice_not_open
   */
  void(number: string, forgive: boolean): Promise<void> {
    return this.#decide(number, 'void', async (client, { id, accountId, amountNano }) => {
      const of = (what: 'void' | 'forgiven') => ({ accountId, amountNano, reference: postingReference(id, what) });
      await this.#ledger.invoiceVoid({ ...of('void'), description: `Invoice ${number} is void` }, client);
      if (forgive)
        await this.#ledger.grant({ ...of('forgiven'), description: `Invoice ${number} is given up` }, client);
      await client.query("update invoices set status = 'void' where id = $1", [id]);
    });
  }

  #decide(
    number: string,
    status: InvoiceStatus,
    work: (client: SqlClient, open: { id: string; accountId: string; amountNano: bigint }) => Promise<void>,
  ): Promise<void> {
    return mapDatabaseErrors(() =>
      this.#database.transaction(async (client) => {
        const { rows } = await client.query<{ id: string; account_id: string; status: string; total_nano: string }>(
          'select id, account_id, status, total_nano from invoices where number = $1 for update',
          [number.slice(0, MAX_NUMBER_LENGTH).toUpperCase()],
        );
        const [found] = rows;
        if (found === undefined) throw noInvoice();
        if (found.status === status) return;
        if (found.status !== 'open') throw new SluiceError('invoice_not_open', { values: { status: found.status } });
        await work(client, { id: found.id, accountId: found.account_id, amountNano: BigInt(found.total_nano) });
        await insertAudit(client, {
          accountId: found.account_id,
          action: `invoice.${status}`,
          target: { type: 'invoice', id: found.id, label: number.slice(0, MAX_NUMBER_LENGTH).toUpperCase() },
          changes: [{ field: 'status', before: found.status, after: status }],
        });
      }),
    );
  }
}

function noInvoice(): SluiceError {
  return new SluiceError('not_found', { values: { what: 'invoice' } });
}
