import type { Database } from '../../database/database.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

/** What a store keeps for a limited time. */
export interface ExpiringStore {
  /** Stops between batches when `signal` aborts. @throws SluiceError database_unavailable */
  removeExpired(signal?: AbortSignal): Promise<void>;
}

/** Background responses have thousands of events each, which are removed with them. */
const BATCH_ROWS = 50;

/** Removes the rows whose `expires_at` is before `now`, in batches. @throws SluiceError database_unavailable */
export async function removeExpiredRows(
  database: Pick<Database, 'query'>,
  table: 'responses' | 'chat_completions',
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const some = `select id from ${table} where expires_at < $1 order by expires_at limit $2`;
  const text = `delete from ${table} where id in (${some}) returning id`;
  while (!signal?.aborted) {
    const removed = await mapDatabaseErrors(() => database.query(text, [now, BATCH_ROWS]));
    if (removed.length < BATCH_ROWS) return;
  }
}
