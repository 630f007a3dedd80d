import type { Database } from '../../database/database.ts';
import { removeEntries } from './remove-entries.ts';

const BATCH_ROWS = 5_000;

/** Removes entries of the audit log that are older than the configured retention. */
export class AuditRetention {
  readonly #database: Database;
  readonly #days: number;

  /** @param days 0 retains them for ever */
  constructor(database: Database, days: number) {
    this.#database = database;
    this.#days = days;
  }

  /** Stops between batches when `signal` aborts. @returns the number of removed entries */
  async removeOld(now: Date, signal?: AbortSignal): Promise<number> {
    if (this.#days === 0) return 0;
    const before = new Date(now.getTime() - this.#days * 86_400_000);
    let removed = 0;
    while (!signal?.aborted) {
      const batch = await this.#database
        .em()
        .transactional((em) =>
          removeEntries(
            em,
            `id in (select id from audit_entries where created_at < ? order by created_at limit ${BATCH_ROWS})`,
            [before],
          ),
        );
      removed += batch;
      if (batch < BATCH_ROWS) break;
    }
    return removed;
  }
}
