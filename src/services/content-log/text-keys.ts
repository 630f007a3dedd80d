import type { SqlQueries } from '../../database/sql.ts';
import { searchKeys } from '../content-search/search-keys.ts';

/** Each batch is a statement of its own, for which writers of the embedded database wait. */
const BATCH_ROWS = 500;

/** In the order of the primary key, as those who delete texts of an account lock them. */
const addKeys = `
with old as (
  select account_id, event_id from logged_texts where not is_keyed
  order by account_id, event_id limit ${BATCH_ROWS} for update skip locked
)
update logged_texts as text
set document = document || ${searchKeys('text.account_id', 'text.event_id')}, is_keyed = true
from old where text.account_id = old.account_id and text.event_id = old.event_id
returning text.event_id`;

/** Adds the keys of account and day to texts that were stored without. */
export class TextKeys {
  readonly #database: SqlQueries;

  constructor(database: SqlQueries) {
    this.#database = database;
  }

  /** Stops between batches when `signal` aborts. @returns to how many */
  async add(signal?: AbortSignal): Promise<number> {
    let keyed = 0;
    for (let rows = BATCH_ROWS; rows === BATCH_ROWS && !signal?.aborted;) {
      rows = (await this.#database.query(addKeys)).length;
      keyed += rows;
    }
    return keyed;
  }
}
