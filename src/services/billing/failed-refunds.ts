import { raw, type FilterQuery } from '@mikro-orm/core';
import { formatUsd } from '../../catalogue/prices/price.ts';
import { insertAudit } from '../../database/audit/record.ts';
import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql.ts';
import { Account, FailedRefund } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { pageOf, type Page, type PageRequest } from '../page-by-creation.ts';
import { NANO_PER_CENT } from './invoices/invoice-lines.ts';
import type { StripeRefunds } from './payments/stripe-refunds.ts';

export interface ListedRefund {
  readonly refund: FailedRefund;
  /** The current name of the account; empty if it no longer exists. */
  readonly accountName: string;
}

const isUncredited = (alias: string): string =>
  `not exists (select from ledger_postings as posting where posting.account_id = ${alias}.account_id and posting.reference = 'refund ' || ${alias}.refund_id)`;

/** Neither refunded again nor credited manually under the reference `refund <id>`. */
function open(): FilterQuery<FailedRefund> {
  return { retriedAt: null, [raw(isUncredited)]: [] };
}

/** Failed refunds, for the operator. Every method also throws SluiceError database_unavailable. */
export class FailedRefunds {
  readonly #database: Database;
  readonly #refunds: Pick<StripeRefunds, 'retry'> | null;

  /** @param refunds null without a payment provider */
  constructor(database: Database, refunds: Pick<StripeRefunds, 'retry'> | null) {
    this.#database = database;
    this.#refunds = refunds;
  }

  /** Open ones, oldest first. */
  list(page: PageRequest): Promise<Page<ListedRefund>> {
    return mapDatabaseErrors(async () => {
      const em = this.#database.em();
      const { rows, hasMore } = await pageOf(page, (conditions, options) =>
        em.find(FailedRefund, { $and: [open(), ...conditions] }, options),
      );
      const accounts = await em.find(Account, { id: { $in: rows.map(({ accountId }) => accountId) } });
      const names = new Map(accounts.map(({ id, name }) => [id, name]));
      return {
        hasMore,
        rows: rows.map((refund) => ({ refund, accountName: names.get(refund.accountId) ?? '' })),
      };
    });
  }

  count(): Promise<number> {
    return mapDatabaseErrors(() => this.#database.em().count(FailedRefund, open()));
  }

  /**
   * Requests the refund again from the payment provider. A second call has no effect.
   * @throws SluiceError not_found | refund_declined | payment_provider_failed
   */
  async retry(refundId: string): Promise<void> {
    // Before the row is read: a concurrent retry may be recorded between the two.
    const isOpen = await this.#isOpen(refundId);
    const refund = await mapDatabaseErrors(() => this.#database.em().findOne(FailedRefund, { refundId }));
    if (refund?.retriedAt) return;
    if (refund === null || !isOpen) throw new SluiceError('not_found', { values: { what: 'failed refund' } });
    const retryId = await this.#refundAgain(refund);
    await mapDatabaseErrors(() => this.#database.transaction((client) => storeRetry(client, refund, retryId)));
  }

  #isOpen(refundId: string): Promise<boolean> {
    return mapDatabaseErrors(
      async () => (await this.#database.em().count(FailedRefund, { $and: [open(), { refundId }] })) > 0,
    );
  }

  async #refundAgain(refund: FailedRefund): Promise<string> {
    if (this.#refunds === null)
      throw new SluiceError('payment_provider_failed', { detail: 'this server has no payment provider' });
    try {
      return await this.#refunds.retry(refund);
    } catch (error) {
      await mapDatabaseErrors(() =>
        this.#database.query('update failed_refunds set attempts = attempts + 1 where id = $1', [refund.id]),
      );
      throw error;
    }
  }
}

async function storeRetry(client: SqlClient, refund: FailedRefund, retryId: string): Promise<void> {
  const { id, refundId, accountId, cents } = refund;
  const { rowCount } = await client.query(
    'update failed_refunds set retried_at = now(), retry_id = $2 where id = $1 and retried_at is null',
    [id, retryId],
  );
  // A concurrent retry recorded the same refund.
  if (rowCount === 0) return;
  const { rows } = await client.query<{ name: string }>('select name from accounts where id = $1', [accountId]);
  await insertAudit(client, {
    accountId,
    action: 'account.refund_retried',
    target: { type: 'account', id: accountId, label: rows[0]?.name ?? null },
    changes: [
      { field: 'amount', before: null, after: `${formatUsd(BigInt(cents) * NANO_PER_CENT)} USD` },
      { field: 'refund', before: refundId, after: retryId },
    ],
  });
}
