import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../calendar/clock.ts';
import type { Database } from '../../../database/database.ts';
import type { SqlClient } from '../../../database/sql.ts';
import { storePlan, type BilledPlan } from '../../plans/billed-plan.ts';
import type { PlanCatalogue } from '../../plans/plan.ts';
import { billableUsage, type BilledBefore, type UsageSum } from '../billable-usage.ts';
import { accountsAfter, accountToBill, lockAccountToBill, type AccountToBill } from '../billed-accounts.ts';
import { nextPeriod, type BillingPeriod } from '../billing-period.ts';
import { invoiceLines, type NewInvoice } from './invoice-lines.ts';
import { postingReference } from './invoice-references.ts';
import type { Ledger } from '../ledger.ts';

export interface InvoiceClosingDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  /** As currently configured. */
  readonly plans: () => PlanCatalogue;
  /** Applies due plan changes, before later periods are billed. */
  readonly applyDue: () => Promise<void>;
  /** The database's clock where absent, which also stamps stored rows. */
  readonly clock?: Clock;
}

/** Data that was read without a lock; valid only if nothing changed meanwhile. */
interface Reading {
  readonly account: AccountToBill;
  readonly period: BillingPeriod;
  readonly usage: readonly UsageSum[];
  readonly cutoff: number;
  readonly now: number;
}

/** The time between a period's end and its invoice, in which its last requests end and are stored. */
const SETTLEMENT_DELAY_MS = 15 * 60_000;
/** Longer than any statement that stores usage, so that all rows stamped earlier are visible. */
const STORAGE_DELAY_MS = 60_000;
const PAYMENT_TERM_MS = 14 * 86_400_000;
const PAGE_ACCOUNTS = 500;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';
const NUMBER_PREFIX = 12;
const NUMBER_DIGITS = 4;

/**
 * Creates the invoices of periods that ended. Each period is closed once, regardless of concurrent runs and crashes: an
 * account's periods are closed in order, each in one transaction that locks the account.
 */
export class InvoiceClosing {
  readonly #dependencies: InvoiceClosingDependencies;

  constructor(dependencies: InvoiceClosingDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Closes all due periods of all accounts. A failure of one account does not delay the others and is thrown at the end.
   * @returns the number of invoices created
   */
  async closeDue(signal?: AbortSignal): Promise<number> {
    const { database, applyDue } = this.#dependencies;
    await applyDue();
    const failures: unknown[] = [];
    let made = 0;
    let after = NIL_UUID;
    for (;;) {
      const page = await accountsAfter(database, after, PAGE_ACCOUNTS);
      for (const account of page) {
        if (signal?.aborted) return made;
        try {
          made += await this.#closeAccount(account);
        } catch (error) {
          failures.push(error);
        }
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_ACCOUNTS) break;
      after = last.id;
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} accounts could not be billed`);
    return made;
  }

  async #closeAccount(listed: AccountToBill): Promise<number> {
    const { database } = this.#dependencies;
    let made = 0;
    for (let account: AccountToBill | null = listed; account !== null;) {
      const reading = await this.#read(account);
      if (reading === null) {
        if (account.begunWith === null) await this.#storePlan(account);
        return made;
      }
      const invoice = await database.transaction((client) => this.#close(client, reading));
      if (invoice !== null) made += 1;
      account = await accountToBill(database, account.id);
    }
    return made;
  }

  /** Records the plan by which an account's first period is billed, regardless of the configuration at its end. */
  async #storePlan(account: AccountToBill): Promise<void> {
    const { database, plans } = this.#dependencies;
    await database.query(
      `insert into billing_marks (account_id, begun_with) values ($1, $2)
      on conflict (account_id) do update set begun_with = coalesce(billing_marks.begun_with, excluded.begun_with)`,
      [account.id, storedJson(nextPeriod(account, plans()).plan)],
    );
  }

  /** Null if nothing is due. */
  async #read(account: AccountToBill): Promise<Reading | null> {
    const { database, plans } = this.#dependencies;
    const now = await this.#now();
    const period = nextPeriod(account, plans());
    if (period.end + SETTLEMENT_DELAY_MS > now || isPending(account, period) || isClosed(account)) return null;
    const cutoff = Math.max(account.cutoffAt ?? 0, now - STORAGE_DELAY_MS);
    const usage = await billableUsage(database, {
      accountId: account.id,
      before: billedBefore(account),
      upTo: { began: period.end, stored: cutoff },
      start: period.start,
    });
    return { account, period, usage, cutoff, now };
  }

  /**
   * @returns the invoice's id; null if there was nothing to bill, or if the period was closed or the plan changed concurrently
   */
  async #close(client: SqlClient, reading: Reading): Promise<string | null> {
    const { account, usage, cutoff } = reading;
    const { ledger, plans } = this.#dependencies;
    const locked = await lockAccountToBill(client, account.id);
    if (locked === null || locked.closedUntil !== account.closedUntil || locked.cutoffAt !== account.cutoffAt)
      return null;
    const period = nextPeriod(locked, plans());
    if (period.start !== reading.period.start || period.end !== reading.period.end || isPending(locked, period))
      return null;
    const { timeZone } = locked;
    const creditNano = await creditOf(client, account.id);
    const invoice = invoiceLines({ period, usage, creditNano, plans: plans(), timeZone });
    const id =
      invoice.lines.length === 0 ? null : await insert(client, { ...reading, account: locked, period }, invoice);
    if (id !== null) await post(client, ledger, account.id, id, invoice);
    await client.query(
      `insert into billing_marks (account_id, closed_until, cutoff_at, begun_with) values ($1, $2, $3, $4)
      on conflict (account_id) do update
      set closed_until = excluded.closed_until, cutoff_at = excluded.cutoff_at, begun_with = excluded.begun_with`,
      [account.id, new Date(period.end), new Date(cutoff), storedJson(period.nextPlan)],
    );
    return id;
  }

  async #now(): Promise<number> {
    const { clock, database } = this.#dependencies;
    if (clock !== undefined) return clock.now();
    const [row] = await database.query<{ ms: string }>('select (extract(epoch from now()) * 1000)::bigint as ms');
    return Number(row?.ms ?? 0);
  }
}

/** A change of plans within the period that is not applied yet: a later run bills it. */
function isPending({ pendingPlanAt }: AccountToBill, { end }: BillingPeriod): boolean {
  return pendingPlanAt !== null && pendingPlanAt < end;
}

/** Deleted, and billed up to its erasure: no further periods. */
function isClosed({ closedUntil, erasedAfter }: AccountToBill): boolean {
  return closedUntil !== null && erasedAfter !== null && closedUntil >= erasedAfter;
}

function storedJson(plan: BilledPlan): string {
  return JSON.stringify(storePlan(plan));
}

/** The limits of what was billed already. */
export function billedBefore({ closedUntil, cutoffAt }: AccountToBill): BilledBefore | null {
  return closedUntil === null || cutoffAt === null ? null : { began: closedUntil, stored: cutoffAt };
}

/** The wallet's balance without usage that is not invoiced yet: all usage in the ledger, less the usage on invoices. */
export async function creditOf(client: SqlClient, accountId: string): Promise<bigint> {
  const { rows } = await client.query<{ credit: string }>(
    `select (select coalesce(sum(amount_nano), 0) from ledger_balances where account_id = $1 and book in ('wallet', 'usage'))
    + (
      select coalesce(sum(amount_nano), 0) from ledger_postings join ledger_entries on posting_id = id and book = 'wallet'
      where ledger_postings.account_id = $1 and reference is not null and kind = 'refund'
    )
    - (
      select coalesce(sum(amount_nano), 0) from invoices join invoice_lines on invoice_id = id
      where account_id = $1 and kind in ('usage', 'late_usage')
    ) as credit`,
    [accountId],
  );
  return BigInt(rows[0]?.credit ?? 0);
}

/** @returns null if the period already has an invoice */
async function insert(client: SqlClient, reading: Reading, invoice: NewInvoice): Promise<string | null> {
  const { account, period, cutoff, now } = reading;
  const { totalNano, lines } = invoice;
  const id = randomUUID();
  const isPaid = totalNano === 0n;
  const inserted = await client.query(
    `insert into invoices (id, account_id, number, account_name, time_zone, period_start, period_end, plan_id, plan_name, status,
      total_nano, cutoff_at, created_at, due_at, paid_at)
    select $1::uuid, $2::uuid, $3::text || lpad((count(*) + 1)::text, greatest(${NUMBER_DIGITS}, length((count(*) + 1)::text)), '0'),
      $4::text, $5::text, $6::timestamptz, $7::timestamptz, $8::text, $9::text, $10::text,
      $11::bigint, $12::timestamptz, $13::timestamptz, $14::timestamptz, $15::timestamptz
    from invoices where account_id = $2
    on conflict (account_id, period_start) do nothing`,
    [
      id,
      account.id,
      `${account.id.replaceAll('-', '').slice(0, NUMBER_PREFIX).toUpperCase()}-`,
      account.name,
      account.timeZone,
      new Date(period.start),
      new Date(period.end),
      period.lastPlan.id,
      period.lastPlan.name,
      isPaid ? 'paid' : 'open',
      String(totalNano),
      new Date(cutoff),
      new Date(now),
      new Date(now + PAYMENT_TERM_MS),
      isPaid ? new Date(now) : null,
    ],
  );
  if (inserted.rowCount === 0) return null;
  const rows = lines.map(({ amountNano, ...line }, index) => ({
    ...line,
    position: index + 1,
    amount_nano: String(amountNano),
  }));
  await client.query(
    `insert into invoice_lines (invoice_id, position, kind, description, model, capability, unit, quantity, amount_nano)
    select $1, position, kind, description, model, capability, unit, quantity, amount_nano
    from jsonb_to_recordset($2::text::jsonb) as line(
      position int, kind text, description text, model text, capability text, unit text, quantity numeric, amount_nano bigint
    )`,
    [id, JSON.stringify(rows)],
  );
  return id;
}

async function post(
  client: SqlClient,
  ledger: Ledger,
  accountId: string,
  invoiceId: string,
  { feesNano, allowanceNano, roundingNano, totalNano }: NewInvoice,
): Promise<void> {
  const of = (what: Parameters<typeof postingReference>[1], amountNano: bigint, description: string) => ({
    accountId,
    amountNano,
    reference: postingReference(invoiceId, what),
    description,
  });
  if (feesNano > 0n) await ledger.fee(of('fees', feesNano, 'Plan'), client);
  if (feesNano < 0n) await ledger.feeRefund(of('fees', -feesNano, 'Plan, given back'), client);
  if (allowanceNano > 0n) await ledger.grant(of('allowance', allowanceNano, 'Allowance of the plan'), client);
  if (roundingNano > 0n) await ledger.fee(of('rounding', roundingNano, 'Rounded up to a cent'), client);
  if (roundingNano < 0n) await ledger.feeRefund(of('rounding', -roundingNano, 'Rounded down to a cent'), client);
  if (totalNano > 0n) await ledger.invoice(of('demand', totalNano, 'Invoice'), client);
}
