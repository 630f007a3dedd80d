import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { SqlQueries } from '../../database/sql.ts';
import { searchKeys } from '../content-search/search-keys.ts';

/** Each batch is a statement of its own, for which writers of the embedded database wait. */
const BATCH_ROWS = 100;
/** Of documents, but for the first one: each is indexed anew. */
const BATCH_BYTES = 2_000_000;
/** Others get their turn between batches. */
const PAUSE_MS = 100;

/** In the order of the primary key, as those who delete texts of an account lock them. */
const addKeys = `
with next as (
  select account_id, event_id, pg_column_size(document) as bytes from logged_texts where not is_keyed
  order by account_id, event_id limit ${BATCH_ROWS} for update skip locked
), old as (
  select account_id, event_id, sum(bytes) over (order by account_id, event_id) - bytes as bytes_before from next
)
update logged_texts as text
set document = document || ${searchKeys('text.account_id', 'text.event_id')}, is_keyed = true
from old
where text.account_id = old.account_id and text.event_id = old.event_id and old.bytes_before < ${BATCH_BYTES}
returning text.event_id`;

/** Adds the keys of account and day to texts that were stored without. */
export class TextKeys {
  readonly #database: SqlQueries;
  readonly #clock: Clock;

  constructor(database: SqlQueries, clock: Clock = systemClock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Stops between batches when `signal` aborts. @returns to how many */
  async add(signal?: AbortSignal): Promise<number> {
    let keyed = 0;
    while (!signal?.aborted) {
      const { length } = await this.#database.query(addKeys);
      if (length === 0) break;
      keyed += length;
      await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, PAUSE_MS).unref());
    }
    return keyed;
  }
}
