import type { Database } from '../../database/database.ts';
import type { PlanCatalogue } from '../plans/plan.ts';
import { usageMonths, type UsageMonth } from './archive/usage-months.ts';

/** How many days an account's rows are retained; null for ever. */
export type RetentionDays = (accountId: string) => number | null | Promise<number | null>;

/** The retention of an account's plan; of the default plan if the account no longer exists. */
export function retentionByPlan(database: Database, plans: () => PlanCatalogue): RetentionDays {
  return async (accountId) => {
    const [account] = await database.query<{ plan: string }>('select plan from accounts where id = $1', [accountId]);
    return (account === undefined ? plans().defaultPlan : plans().of(account.plan)).retentionDays;
  };
}

export interface Removed {
  /** Dropped partitions. */
  readonly months: readonly string[];
  /** Individually deleted rows. */
  readonly rows: number;
}

const DAY_MS = 86_400_000;
const BATCH_ROWS = 5_000;
/** Dropping a partition blocks all readers; waiting for a long reader would block everyone behind it. */
const LOCK_WAIT = '3s';

/** The accounts of a month, by index: one step per account, regardless of rows. */
const accountsIn = `
with recursive found as (
  (select account_id from usage_logs where began_at >= $1 and began_at < $2 order by account_id limit 1)
  union all
  select (
    select account_id from usage_logs where began_at >= $1 and began_at < $2 and account_id > found.account_id
    order by account_id limit 1
  ) from found where found.account_id is not null
)
select account_id from found where account_id is not null`;

const keepFrom = `
insert into usage_retention (account_id, kept_from) select id, $2 from unnest($1::uuid[]) as ids(id)
on conflict (account_id) do update set kept_from = greatest(usage_retention.kept_from, excluded.kept_from)`;

/** Whether a row with a cost is on an invoice: it is retained until then. Erased accounts get no invoice. */
const isBilled = `(
  cost_nano = 0 or not exists (select 1 from accounts where id = usage_logs.account_id) or exists (
    select 1 from billing_marks as mark
    where mark.account_id = usage_logs.account_id and began_at < mark.closed_until and settled_at < mark.cutoff_at
  )
)`;

const hasNeeded = `
select exists (
  select 1 from usage_logs
  where account_id = any($1::uuid[]) and began_at >= $2 and began_at < $3 and (not ${isBilled} or settled_at >= $4::timestamptz)
) as needed`;

const deleteBatch = `
with old as (
  select event_id, began_at from usage_logs where account_id = $1 and began_at >= $2 and began_at < $3 and ${isBilled}
    and settled_at < $5::timestamptz
  order by began_at limit $4
),
gone as (
  delete from usage_logs using old
  where usage_logs.account_id = $1 and usage_logs.began_at = old.began_at and usage_logs.event_id = old.event_id
    and usage_logs.began_at >= $2 and usage_logs.began_at < $3
  returning 1
)
select count(*) as rows from gone`;

/** What clients said of requests that are no longer in the log. */
const removeFeedback = `
delete from feedback using usage_retention
where feedback.account_id = usage_retention.account_id and requested_at < kept_from`;

/** Rows that were stored before this time may be removed, as PostgreSQL writes it. */
type Bound = string;

/** Removes rows of the usage log that are billed and older than their account's retention. Roll-ups and the ledger remain. */
export class UsageRetention {
  readonly #database: Database;
  readonly #days: RetentionDays;
  readonly #needsArchive: boolean;

  /** @param needsArchive whether only rows that are in the archive are removed */
  constructor(database: Database, days: RetentionDays, needsArchive = false) {
    this.#database = database;
    this.#days = days;
    this.#needsArchive = needsArchive;
  }

  /** Oldest first; stops between batches when `signal` aborts. */
  async removeOld(now: Date, signal?: AbortSignal): Promise<Removed> {
    const dropped: string[] = [];
    let rows = 0;
    for (const month of await usageMonths(this.#database)) {
      if (month.from >= now.getTime() || signal?.aborted) break;
      const bound = await this.#boundOf(month);
      if (bound === null) continue;
      const limits = await this.#limitsIn(month, now);
      const isOver = month.to <= now.getTime();
      const isOld = isOver && limits.every(({ keptFrom }) => keptFrom >= month.to);
      if (isOld && !(await this.#hasNeeded(month, limits, bound))) {
        if (await this.#drop(month, limits, bound)) dropped.push(month.partition);
      } else
        for (const { accountId, keptFrom } of limits)
          if (keptFrom > month.from && !signal?.aborted)
            rows += await this.#delete(month, { accountId, keptFrom, bound }, signal);
    }
    await this.#database.query(removeFeedback);
    return { months: dropped, rows };
  }

  /** Per account with rows in the month, the start of its retention; `-Infinity` for ever. */
  async #limitsIn(month: UsageMonth, now: Date): Promise<{ accountId: string; keptFrom: number }[]> {
    const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
    const accounts = await this.#database.query<{ account_id: string }>(accountsIn, [
      new Date(month.from),
      new Date(month.to),
    ]);
    const limits: { accountId: string; keptFrom: number }[] = [];
    for (const { account_id: accountId } of accounts) {
      const days = await this.#days(accountId);
      limits.push({ accountId, keptFrom: days === null ? -Infinity : today - days * DAY_MS });
    }
    return limits;
  }

  /** Null if no row of the month may be removed yet. */
  async #boundOf(month: UsageMonth): Promise<Bound | null> {
    if (!this.#needsArchive) return 'infinity';
    const text = 'select stored_before::text from usage_archives where month = $1';
    const [archive] = await this.#database.query<{ stored_before: string | null }>(text, [new Date(month.from)]);
    return archive?.stored_before ?? null;
  }

  /** Whether the month has rows that are not billed or not archived. */
  async #hasNeeded(month: UsageMonth, limits: readonly { accountId: string }[], bound: Bound): Promise<boolean> {
    const accounts = limits.map(({ accountId }) => accountId);
    const values = [accounts, new Date(month.from), new Date(month.to), bound];
    const [row] = await this.#database.query<{ needed: boolean }>(hasNeeded, values);
    return row?.needed === true;
  }

  /**
   * The month is older than the retention of all its accounts. A late row creates it again.
   * @returns false if a row that must be retained was stored since the month was checked
   */
  #drop(month: UsageMonth, limits: readonly { accountId: string }[], bound: Bound): Promise<boolean> {
    return this.#database.transaction(async (client) => {
      await client.query("select set_config('lock_timeout', $1, true)", [LOCK_WAIT]);
      // Rows are read, and none is stored, until the month is dropped. Statements that store rows lock the table before its
      // partitions, and a drop does, too: another order could deadlock with them. The mode excludes a second run.
      await client.query('lock table only usage_logs in share row exclusive mode');
      const accounts = limits.map(({ accountId }) => accountId);
      const checked = new Set(accounts);
      const range = [new Date(month.from), new Date(month.to)];
      const found = (await client.query<{ account_id: string }>(accountsIn, range)).rows;
      if (!found.every(({ account_id: id }) => checked.has(id))) return false;
      const [row] = (await client.query<{ needed: boolean }>(hasNeeded, [accounts, ...range, bound])).rows;
      if (row?.needed !== false) return false;
      await client.query(keepFrom, [accounts, new Date(month.to)]);
      // The name comes from PostgreSQL and consists of our prefix and digits.
      await client.query(`drop table ${month.partition}`);
      return true;
    });
  }

  async #delete(
    month: UsageMonth,
    { accountId, keptFrom, bound }: { accountId: string; keptFrom: number; bound: Bound },
    signal?: AbortSignal,
  ): Promise<number> {
    const before = new Date(Math.min(keptFrom, month.to));
    // First, so that the remaining rows are not mistaken for a complete log.
    await this.#database.query(keepFrom, [[accountId], before]);
    let deleted = 0;
    while (!signal?.aborted) {
      const values = [accountId, new Date(month.from), before, BATCH_ROWS, bound];
      const [batch] = await this.#database.query<{ rows: string }>(deleteBatch, values);
      const count = Number(batch?.rows ?? 0);
      deleted += count;
      if (count < BATCH_ROWS) break;
    }
    return deleted;
  }
}
