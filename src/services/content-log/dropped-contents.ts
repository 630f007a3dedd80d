import { z } from 'zod';
import { isDataError } from '../../database/connection-failure.ts';
import type { SqlQueries } from '../../database/sql.ts';
import type { DroppedStore } from '../../gateway/usage/journal/drop-journal.ts';

export interface DroppedContentsDependencies {
  readonly database: SqlQueries;
  readonly log: { error(fields: object, message: string): void };
}

/** Content that was stored after all, or whose account was erased meanwhile, is left as it is. */
const insert = `
insert into logged_contents (event_id, account_id, state)
select r.event_id, r.account_id, 'dropped'
from json_to_recordset($1::text::json) as r(event_id uuid, account_id uuid)
join accounts on accounts.id = r.account_id and accounts.erased_at is null
on conflict (event_id) do nothing`;

const rowForm = z.object({ event_id: z.uuid(), account_id: z.uuid() });
/** Every record starts like this. */
const betweenRows = /,(?=\{"event_id":")/;

/** Stores in the log that the content of requests was dropped. */
export class DroppedContents implements DroppedStore {
  readonly #dependencies: DroppedContentsDependencies;

  constructor(dependencies: DroppedContentsDependencies) {
    this.#dependencies = dependencies;
  }

  async store(rows: Buffer): Promise<void> {
    try {
      await this.#dependencies.database.query(insert, [rows]);
    } catch (error) {
      if (!isDataError(error)) throw error;
      for (const row of rows.toString().slice(1, -1).split(betweenRows)) await this.#storeOne(row);
    }
  }

  /** A record that is corrupt on disk does not affect others. */
  async #storeOne(row: string): Promise<void> {
    const { database, log } = this.#dependencies;
    try {
      const valid = rowForm.parse(JSON.parse(row));
      await database.query(insert, [JSON.stringify([valid])]);
    } catch (err) {
      const isCorrupt = err instanceof SyntaxError || err instanceof z.ZodError;
      if (!isCorrupt && !isDataError(err)) throw err;
      log.error({ err, row }, 'a record of dropped content cannot be stored and is skipped');
    }
  }
}
