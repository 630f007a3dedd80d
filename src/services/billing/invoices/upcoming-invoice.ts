import { systemClock, type Clock } from '../../../calendar/clock.ts';
import type { Database } from '../../../database/database.ts';
import { SluiceError } from '../../../errors/index.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import type { PlanCatalogue } from '../../plans/plan.ts';
import { billableUsage, type BilledBefore } from '../billable-usage.ts';
import { accountToBill, type AccountToBill } from '../billed-accounts.ts';
import type { BillingPeriod } from '../billing-period.ts';
import { billedBefore, creditOf } from './invoice-closing.ts';
import { invoiceLines, type NewInvoiceLine } from './invoice-lines.ts';
import { periodsAt } from '../present-period.ts';

/** A preview of an invoice. */
export interface UpcomingInvoice {
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly planName: string;
  readonly lines: readonly NewInvoiceLine[];
  readonly totalNano: bigint;
}

export interface UpcomingInvoiceDependencies {
  readonly database: Database;
  /** As currently configured. */
  readonly plans: () => PlanCatalogue;
  readonly clock?: Clock;
}

const CLOCK_SKEW_MS = 3_600_000;

interface Unbilled {
  readonly period: BillingPeriod;
  readonly before: BilledBefore | null;
  /** The time up to which usage was stored; in milliseconds since the epoch. */
  readonly stored: number;
  readonly creditNano: bigint;
}

/** Previews an account's next invoice, by the same rules that create it. */
export class UpcomingInvoices {
  readonly #dependencies: UpcomingInvoiceDependencies;

  constructor(dependencies: UpcomingInvoiceDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * The preview for the first period that is not invoiced yet and has an amount, else for the current one: a period without an
   * amount gets no invoice. @throws SluiceError not_found | database_unavailable
   */
  async of(accountId: string): Promise<UpcomingInvoice> {
    const [first] = await this.all(accountId);
    return first;
  }

  /**
   * Previews for each period that is not invoiced yet and has an amount, oldest first; then for the current one, as if those
   * were invoiced. @throws SluiceError not_found | database_unavailable
   */
  all(accountId: string): Promise<[UpcomingInvoice, ...UpcomingInvoice[]]> {
    const { database, plans, clock = systemClock } = this.#dependencies;
    return mapDatabaseErrors(async () => {
      const account = await accountToBill(database, accountId);
      if (account === null) throw new SluiceError('not_found', { values: { what: 'account' } });
      const { unbilled, present } = periodsAt(account, plans(), clock.now());
      // Rows stored just now count, even if the database's clock is ahead.
      const stored = clock.now() + CLOCK_SKEW_MS;
      let before = billedBefore(account);
      let creditNano = await database.transaction((client) => creditOf(client, account.id));
      const past: UpcomingInvoice[] = [];
      for (const period of unbilled) {
        const invoice = await this.#ofPeriod(account, { period, before, stored, creditNano });
        if (invoice.lines.length > 0) past.push(invoice);
        before = { began: period.end, stored };
        creditNano += creditChange(invoice);
      }
      const current = await this.#ofPeriod(account, { period: present, before, stored, creditNano });
      const [first, ...rest] = past;
      return first === undefined ? [current] : [first, ...rest, current];
    });
  }

  async #ofPeriod(account: AccountToBill, { period, before, stored, creditNano }: Unbilled): Promise<UpcomingInvoice> {
    const { database, plans } = this.#dependencies;
    const usage = await billableUsage(database, {
      accountId: account.id,
      before,
      upTo: { began: period.end, stored },
      start: period.start,
    });
    const { timeZone } = account;
    const { lines, totalNano } = invoiceLines({ period, usage, creditNano, plans: plans(), timeZone });
    return {
      periodStart: new Date(period.start),
      periodEnd: new Date(period.end),
      planName: period.lastPlan.name,
      lines,
      totalNano,
    };
  }
}

/** The amount that an invoice deducts from the credit, or adds to it. */
function creditChange({ lines }: UpcomingInvoice): bigint {
  return lines.reduce((sum, { kind, amountNano }) => (kind === 'credit' ? sum + amountNano : sum), 0n);
}
