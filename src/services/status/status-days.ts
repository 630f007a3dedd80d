import { z } from 'zod';
import type { Clock } from '../../calendar/clock.ts';
import { systemClock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';

const nothing = z.strictObject({});
const DAY_MS = 86_400_000;
/** Longer than any report of performance: 366 days. */
const KEPT_DAYS = 367;

/** Attempts by the operator's connections only: those of accounts depend on the accounts. */
const sumDays = `
insert into status_days (day, kind, name, successes, failures)
select (bucket at time zone 'UTC')::date as day, kind, case kind when 'provider' then provider else capability end as name, sum(successes), sum(failures)
from attempt_rollups cross join (values ('provider'), ('capability')) as kinds(kind)
where bucket >= $1 and not own_connection and successes + failures > 0
group by 1, 2, 3 order by 1, 2, 3
on conflict (day, kind, name) do update set successes = excluded.successes, failures = excluded.failures`;

/** Keeps the days of the status page up to date, and removes what is older than any report shows. */
export class StatusDays {
  readonly #database: Pick<Database, 'query'>;
  readonly #clock: Clock;

  constructor(database: Pick<Database, 'query'>, clock: Clock = systemClock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Sums today and yesterday again: attempts are stored after they end. */
  async update(): Promise<void> {
    const today = Math.floor(this.#clock.now() / DAY_MS) * DAY_MS;
    await this.#database.query(sumDays, [new Date(today - DAY_MS)]);
  }

  async removeOld(): Promise<void> {
    const from = new Date(this.#clock.now() - KEPT_DAYS * DAY_MS);
    await this.#database.query('delete from attempt_rollups where bucket < $1', [from]);
    await this.#database.query('delete from status_days where day < $1::date', [from.toISOString().slice(0, 10)]);
  }
}

export function updateStatusDays(queue: JobQueue, days: Pick<StatusDays, 'update' | 'removeOld'>): void {
  const update = queue.define('update-status-days', nothing, () => days.update(), { retries: 0, queueAtMostOne: true });
  queue.schedule(update, '*/5 * * * *', {});
  const remove = queue.define('remove-old-status', nothing, () => days.removeOld(), { timeoutSeconds: 600 });
  queue.schedule(remove, '43 3 * * *', {});
}
