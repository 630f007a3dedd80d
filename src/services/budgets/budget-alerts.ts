import { randomUUID } from 'node:crypto';
import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { formatUsd } from '../../catalogue/prices/price.ts';
import type { Database } from '../../database/database.ts';
import type { BudgetStore } from '../../gateway/limits/limit-store.ts';
import type { WebhookEvent } from '../webhooks/webhook-events.ts';
import type { BudgetCache } from './budget-cache.ts';
import type { BudgetHolder } from './budget-mail.ts';
import type { KnownBudget } from './known-budget.ts';

const POLL_INTERVAL_MS = 1_000;
/** Budgets that are checked at a time. */
const GROUP_SIZE = 100;
/** An alert recorded by another process is sent by that process, unless it died. */
const ABANDONED_AFTER_MS = 60_000;
const SWEEP_INTERVAL_MS = 60_000;
const SWEEP_ROWS = 1_000;

/** A budget that reached a threshold. Money in nano-USD. */
export interface PassedThreshold {
  readonly known: KnownBudget;
  readonly percent: number;
  readonly spentNano: bigint;
  /** Milliseconds since the epoch. */
  readonly periodStart: number;
  readonly at: number;
}

export interface BudgetAlertsDependencies {
  readonly database: Database;
  readonly cache: Pick<BudgetCache, 'open'>;
  readonly store: Pick<BudgetStore, 'state'>;
  /** Resolves when the alert is stored for delivery. May be called again with the same event. */
  readonly notify: (accountId: string, event: WebhookEvent, holder: BudgetHolder) => Promise<void>;
  /** Notifies current subscribers. */
  readonly publish: (accountId: string, passed: PassedThreshold) => void;
  /** An object's id for clients. */
  readonly publicId: (type: 'Budget' | 'ApiKey' | 'User', id: string) => string;
  /** Receives errors of polling. */
  readonly onFault: (error: unknown) => void;
  readonly clock?: Clock;
}

interface PendingAlertRow {
  readonly id: string;
  readonly account_id: string;
  readonly budget_id: string;
  readonly subject: string;
  readonly api_key_id: string | null;
  readonly member_id: string | null;
  readonly period: string;
  /** This and the following in milliseconds since the epoch. */
  readonly period_start: string;
  readonly percent: number;
  readonly amount_nano: string;
  readonly spent_nano: string;
  readonly created_at: string;
}

/**
 * Checks open budgets every second. A reached threshold is recorded once per period and amount, by whichever process detects
 * it first, and then sent; if that process dies in between, another one sends it.
 */
export class BudgetAlerts {
  readonly #dependencies: BudgetAlertsDependencies;
  readonly #clock: Clock;
  /** By budget: the period, the amount, and the thresholds recorded for them. */
  readonly #recorded = new Map<
    string,
    { readonly periodStart: number; readonly amountNano: bigint; readonly percents: Set<number> }
  >();
  #timers: Timer[] = [];
  #polling: Promise<void> | null = null;

  constructor(dependencies: BudgetAlertsDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  start(): void {
    const guarded = (work: () => Promise<void>) => () => void work().catch(this.#dependencies.onFault);
    this.#timers = [
      this.#clock
        .setInterval(
          guarded(() => this.poll()),
          POLL_INTERVAL_MS,
        )
        .unref(),
      this.#clock
        .setInterval(
          guarded(() => this.sweep(ABANDONED_AFTER_MS)),
          SWEEP_INTERVAL_MS,
        )
        .unref(),
    ];
  }

  /** Waits for the current poll. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    await this.#polling?.catch(() => undefined);
  }

  /** Polls do not overlap. */
  poll(): Promise<void> {
    return (this.#polling ??= this.#checkAll().finally(() => (this.#polling = null)));
  }

  /** Sends alerts that were recorded this long ago and not sent. */
  async sweep(abandonedMs: number): Promise<void> {
    const rows = await this.#dependencies.database.query<PendingAlertRow>(
      `select alert.id, budget.account_id, alert.budget_id, budget.subject, budget.api_key_id, budget.member_id, budget.period,
         ${millis('alert.period_start')} as period_start, alert.percent, alert.amount_nano, alert.spent_nano,
         ${millis('alert.created_at')} as created_at
       from budget_alerts alert join budgets budget on budget.id = alert.budget_id
       where alert.told_at is null and alert.created_at <= clock_timestamp() - $1 * interval '1 millisecond'
       order by alert.created_at limit ${SWEEP_ROWS}`,
      [abandonedMs],
    );
    for (const row of rows) await this.#notify(row);
  }

  async #checkAll(): Promise<void> {
    const budgets = [...this.#dependencies.cache.open()];
    const open = new Set(budgets.map(({ rowId }) => rowId));
    // A store in another process is asked for those of a group by one message.
    for (let from = 0; from < budgets.length; from += GROUP_SIZE) {
      const checks = budgets.slice(from, from + GROUP_SIZE).map((known) => this.#checkBudget(known));
      await Promise.allSettled(checks);
      await Promise.all(checks);
    }
    for (const rowId of this.#recorded.keys()) if (!open.has(rowId)) this.#recorded.delete(rowId);
  }

  async #checkBudget(known: KnownBudget): Promise<void> {
    const { rowId, alertAt, budget } = known;
    const state = await this.#dependencies.store.state(budget);
    if (state === null) return;
    const { spentNano, period } = state;
    const passed = alertAt.filter((percent) => spentNano * 100n >= budget.amountNano * BigInt(percent));
    if (passed.length === 0) return;
    let recorded = this.#recorded.get(rowId);
    if (recorded?.periodStart !== period.start || recorded.amountNano !== budget.amountNano) {
      recorded = { periodStart: period.start, amountNano: budget.amountNano, percents: new Set() };
      this.#recorded.set(rowId, recorded);
    }
    for (const percent of passed) {
      if (recorded.percents.has(percent)) continue;
      await this.#record({ known, percent, spentNano, periodStart: period.start, at: this.#clock.now() });
      recorded.percents.add(percent);
    }
  }

  async #record(passed: PassedThreshold): Promise<void> {
    const { known, percent, spentNano, periodStart } = passed;
    const { rowId, budget } = known;
    const [row] = await this.#dependencies.database.query<{ id: string; created_at: string }>(
      `insert into budget_alerts (id, budget_id, period_start, percent, amount_nano, spent_nano)
       values ($1, $2, $3, $4, $5, $6) on conflict (budget_id, period_start, percent, amount_nano) do nothing
       returning id, ${millis('created_at')} as created_at`,
      [randomUUID(), rowId, new Date(periodStart), percent, String(budget.amountNano), String(spentNano)],
    );
    if (row === undefined) return;
    this.#dependencies.publish(budget.accountId, passed);
    await this.#notify({
      id: row.id,
      account_id: budget.accountId,
      budget_id: rowId,
      subject: budget.subject,
      api_key_id: known.apiKeyId,
      member_id: known.member?.id ?? null,
      period: budget.period,
      period_start: String(periodStart),
      percent,
      amount_nano: String(budget.amountNano),
      spent_nano: String(spentNano),
      created_at: row.created_at,
    }).catch(this.#dependencies.onFault);
  }

  async #notify(row: PendingAlertRow): Promise<void> {
    const { database, notify } = this.#dependencies;
    await notify(row.account_id, this.#eventOf(row), { apiKeyId: row.api_key_id, memberId: row.member_id });
    await database.query('update budget_alerts set told_at = clock_timestamp() where id = $1', [row.id]);
  }

  /** The same in every delivery. */
  #eventOf(row: PendingAlertRow): WebhookEvent {
    const { publicId } = this.#dependencies;
    return {
      id: `evt_${row.id.replaceAll('-', '')}`,
      object: 'event',
      type: 'budget.alert',
      created_at: Math.floor(Number(row.created_at) / 1_000),
      data: {
        id: publicId('Budget', row.budget_id),
        object: 'budget',
        subject: row.subject,
        api_key_id: row.api_key_id && publicId('ApiKey', row.api_key_id),
        member_id: row.member_id && publicId('User', row.member_id),
        amount: formatUsd(BigInt(row.amount_nano)),
        spent: formatUsd(BigInt(row.spent_nano)),
        currency: 'USD',
        percent: row.percent,
        period: row.period,
        period_start: row.period === 'TOTAL' ? null : new Date(Number(row.period_start)).toISOString(),
      },
    };
  }
}

function millis(column: string): string {
  return `floor(extract(epoch from ${column}) * 1000)::bigint`;
}
