import { delay, systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import type { Batch } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { BatchesService } from './batches.service.ts';
import { requestCounts } from './request-counts.ts';

/** Batches are read again after this without a change: a message of another process may have been lost. */
const RECHECK_MS = 15_000;
/** Delay before they are read again while the database is unavailable. */
const RETRY_MS = 2_000;
/** Of an account, that are read without a change of theirs. */
const MAX_RECENT = 1_000;
/** Of which a subscriber's last state is known, so that it is not sent again. */
const MAX_SHOWN = 10_000;

/** Which batches change, on any instance. */
export interface BatchChanges {
  /** @returns what to read next: the UUIDs of batches, null for all */
  follow(accountId: string, signal: AbortSignal): { next(withinMs: number): Promise<ReadonlySet<string> | null> };
}

export interface BatchWatcherDependencies {
  readonly database: Database;
  readonly batches: Pick<BatchesService, 'byIds'>;
  readonly changes: BatchChanges;
  readonly clock?: Clock;
}

/**
 * Those that have ended lately may have done so while a client connected. Each part reads by an index, which an account's
 * older batches do not lengthen.
 */
const recentOnes = `
select id from batches where account_id = $1 and ($2::uuid is null or api_key_id = $2) and ended_at is null
  and dataset_run_id is null
union
select id from batches where account_id = $1 and ($2::uuid is null or api_key_id = $2)
  and protocol in ('openai', 'anthropic') and created_at > now() - interval '3 days' and ended_at > now() - interval '1 minute'
  and dataset_run_id is null
order by id desc limit ${MAX_RECENT}`;

/** Follows batches. A subscriber that reads slowly misses states, never the last one. */
export class BatchWatcher {
  readonly #dependencies: BatchWatcherDependencies;
  readonly #clock: Clock;

  constructor(dependencies: BatchWatcherDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  /** A batch, then each change of it until it has ended. @param id its UUID */
  async *watch(reach: ObjectReach, id: string, signal: AbortSignal): AsyncGenerator<Batch> {
    for await (const batch of this.#follow(reach, id, signal)) {
      yield batch;
      if (batch.endedAt !== null) return;
    }
  }

  /** The batches that have not ended before the last minute, oldest first, then each change of any. */
  watchAll(reach: ObjectReach, signal: AbortSignal): AsyncGenerator<Batch> {
    return this.#follow(reach, null, signal);
  }

  async *#follow(reach: ObjectReach, id: string | null, signal: AbortSignal): AsyncGenerator<Batch> {
    const changes = this.#dependencies.changes.follow(reach.accountId, signal);
    const open = new Set<string>(id === null ? [] : [id]);
    const shown = new Map<string, string>();
    let changed: ReadonlySet<string> | null = null;
    while (!signal.aborted) {
      const rows = await this.#read(reach, id, changed, open);
      if (rows === null) {
        await delay(this.#clock, RETRY_MS, signal).catch(() => undefined);
        changed = null;
        continue;
      }
      for (const row of rows) {
        const state = stateOf(row);
        if (row.endedAt === null) open.add(row.id);
        else open.delete(row.id);
        if (shown.get(row.id) === state) continue;
        remember(shown, row.id, state);
        yield row;
      }
      if (id !== null && !open.has(id)) return;
      changed = await changes.next(RECHECK_MS);
    }
  }

  /** @returns null while the database is unavailable */
  async #read(
    reach: ObjectReach,
    id: string | null,
    changed: ReadonlySet<string> | null,
    open: Set<string>,
  ): Promise<Batch[] | null> {
    try {
      const asked = await this.#ask(reach, id, changed, open);
      const rows = asked.length === 0 ? [] : await this.#dependencies.batches.byIds(reach, asked);
      // Those that were deleted are followed no longer.
      const found = new Set(rows.map((row) => row.id));
      for (const each of asked) if (!found.has(each)) open.delete(each);
      return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    } catch (error) {
      if (error instanceof SluiceError && error.code === 'database_unavailable') return null;
      throw error;
    }
  }

  async #ask(
    { accountId, apiKeyId }: ObjectReach,
    id: string | null,
    changed: ReadonlySet<string> | null,
    open: ReadonlySet<string>,
  ): Promise<readonly string[]> {
    if (id !== null) return changed === null || changed.has(id) ? [id] : [];
    if (changed !== null) return [...changed];
    const { database } = this.#dependencies;
    const rows = await mapDatabaseErrors(() => database.query<{ id: string }>(recentOnes, [accountId, apiKeyId]));
    return [...new Set([...open, ...rows.map((row) => row.id)])];
  }
}

/** What subscribers see of a batch, as text to compare. */
function stateOf(batch: Batch): string {
  const { status, total, cancelAskedAt, endedAt } = batch;
  const { succeeded, errored } = requestCounts(batch);
  return [status, total, succeeded, errored, cancelAskedAt?.getTime(), endedAt?.getTime()].join(' ');
}

function remember(shown: Map<string, string>, id: string, state: string): void {
  shown.delete(id);
  shown.set(id, state);
  const [oldest] = shown.size > MAX_SHOWN ? shown.keys() : [];
  if (oldest !== undefined) shown.delete(oldest);
}
