import type { Database } from '../../database/database.ts';
import { ProviderConnection } from '../../database/entities/index.ts';
import { orUnavailable } from '../database-availability.ts';

/** Between a change's time and its commit passes less: no statement may take longer. */
const SLACK_MS = 60_000;

/** Which accounts' connections changed, and how often so far. */
export interface ConnectionChange {
  readonly accountId: string;
  readonly revision: number;
}

/** What is read of connections by whoever keeps them open. Every method throws SluiceError database_unavailable. */
export class ConnectionReader {
  readonly #database: Database;
  /** Of the database's clock: this machine's may differ. */
  #newest: Date | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  of(accountId: string): Promise<ProviderConnection[]> {
    return orUnavailable(() => this.#database.em().find(ProviderConnection, { account: accountId }));
  }

  /** Every account that ever had a connection, at first; then those that changed lately, some of them again. */
  async changes(): Promise<readonly ConnectionChange[]> {
    const since = this.#newest === null ? null : new Date(this.#newest.getTime() - SLACK_MS);
    const rows = await orUnavailable(() =>
      this.#database.query<{ account_id: string; revision: string; changed_at: Date }>(
        'select account_id, revision, changed_at from connected_accounts where $1::timestamptz is null or changed_at > $1',
        [since],
      ),
    );
    for (const { changed_at: at } of rows) if (this.#newest === null || at > this.#newest) this.#newest = at;
    return rows.map(({ account_id: accountId, revision }) => ({ accountId, revision: Number(revision) }));
  }
}
