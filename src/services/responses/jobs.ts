import { z } from 'zod';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql.ts';
import type { ResponseObject } from '../../gateway/capabilities/responses/response-object.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { removeExpiredRows, type ExpiringStore } from '../expiry/expiring-store.ts';
import { storableJson } from '../storable-json.ts';

export interface ResponseSweepDependencies {
  readonly database: Database;
  /** Called with the response's UUID after each change. */
  readonly onChanged: (id: string) => void;
  /** What expires like responses; nothing if absent. */
  readonly stores?: readonly ExpiringStore[];
  readonly clock?: Clock;
}

const nothing = z.strictObject({});
const END_BATCH_ROWS = 100;

const stopped = {
  status: 'failed',
  error: {
    code: 'server_error',
    message: 'The server that ran this response stopped before it was finished.',
  },
} as const;

const endSome = `
update responses set status = $1, response = response || $2::text::jsonb, completed_at = clock_timestamp(), lease_until = null
where id in (
  select id from responses where completed_at is null and lease_until <= clock_timestamp()
  order by lease_until limit $3 for update skip locked
)
returning id, response`;

/** The next sequence number of each response. */
const nextNumbers = `
select ended.id, (
  select coalesce(max(sequence_number) + 1, 0) from response_events where response_id = ended.id
) as next from unnest($1::uuid[]) as ended(id)`;

const insertEvents = `
insert into response_events (response_id, sequence_number, event) select * from unnest($1::uuid[], $2::int[], $3::text[])`;

/** Every minute, ends background responses whose process died, and removes what expires like them. */
export class ResponseSweep {
  readonly #dependencies: ResponseSweepDependencies;
  readonly #clock: Clock;
  readonly #madeAt: Date;

  /** Defines its job, so it must be constructed before the queue starts. */
  constructor(queue: JobQueue, dependencies: ResponseSweepDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    this.#madeAt = new Date(this.#clock.now());
    const kind = queue.define('sweep-responses', nothing, (_data, { signal }) => this.sweep(signal));
    queue.schedule(kind, '* * * * *', {});
  }

  /**
   * Ends what an earlier process left, once the queue has started.
   * @param alone whether no other process runs responses: then nothing from before this process is running
   */
  async resume(alone: boolean): Promise<void> {
    const text = 'update responses set lease_until = created_at where completed_at is null and created_at < $1';
    if (alone) await mapDatabaseErrors(() => this.#dependencies.database.query(text, [this.#madeAt]));
    await this.#endAbandoned();
  }

  /** Stops between batches when `signal` aborts. @throws SluiceError database_unavailable */
  async sweep(signal?: AbortSignal): Promise<void> {
    await this.#endAbandoned(signal);
    for (const store of this.#dependencies.stores ?? []) await store.removeExpired(signal);
    const now = new Date(this.#clock.now());
    await removeExpiredRows(this.#dependencies.database, 'responses', now, signal);
  }

  async #endAbandoned(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const ended = await mapDatabaseErrors(() => this.#dependencies.database.transaction(endAbandoned));
      for (const id of ended) this.#dependencies.onChanged(id);
      if (ended.length < END_BATCH_ROWS) return;
    }
  }
}

/** @returns the UUIDs of the ended responses */
async function endAbandoned(client: SqlClient): Promise<string[]> {
  const values = [stopped.status, storableJson(stopped), END_BATCH_ROWS];
  const { rows } = await client.query<{ id: string; response: ResponseObject }>(endSome, values);
  if (rows.length === 0) return [];
  const responses = new Map(rows.map(({ id, response }) => [id, response]));
  // In a separate statement, which sees all events stored so far; no more can be stored now.
  const numbers = await client.query<{ id: string; next: number }>(nextNumbers, [[...responses.keys()]]);
  const events = numbers.rows.map(({ id, next }) =>
    JSON.stringify({ type: 'response.failed', sequence_number: next, response: responses.get(id) }),
  );
  const places = [numbers.rows.map(({ id }) => id), numbers.rows.map(({ next }) => next)];
  await client.query(insertEvents, [...places, events]);
  return [...responses.keys()];
}
