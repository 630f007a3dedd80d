import type { Database } from '../../database/database.ts';
import { AccountRoute, ProviderConnection } from '../../database/entities/index.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

/** The maximum time between a change's timestamp and its commit: longer than any statement. */
const SLACK_MS = 60_000;

/** The revision of an account's connections and routes. */
export interface ConnectionChange {
  readonly accountId: string;
  readonly revision: number;
}

/** Reads connections and routes for the cache. Every method throws SluiceError database_unavailable. */
export class ConnectionReader {
  readonly #database: Database;
  /** Milliseconds since the epoch, by the database's clock, which may differ from this machine's. */
  #newest: number | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Active connections. */
  of(accountId: string): Promise<ProviderConnection[]> {
    return mapDatabaseErrors(() => this.#database.em().find(ProviderConnection, { account: accountId, active: true }));
  }

  routesOf(accountId: string): Promise<AccountRoute[]> {
    return mapDatabaseErrors(() => this.#database.em().find(AccountRoute, { account: accountId }));
  }

  /** At first all accounts that ever had a connection or route; then recently changed ones, some of them repeatedly. */
  async changes(): Promise<readonly ConnectionChange[]> {
    const since = this.#newest === null ? null : new Date(this.#newest - SLACK_MS);
    const rows = await mapDatabaseErrors(() =>
      this.#database.query<{ account_id: string; revision: string; changed_ms: string }>(
        `select account_id, revision, floor(extract(epoch from changed_at) * 1000)::bigint as changed_ms
         from connected_accounts where $1::timestamptz is null or changed_at > $1`,
        [since],
      ),
    );
    for (const { changed_ms: at } of rows) this.#newest = Math.max(this.#newest ?? 0, Number(at));
    return rows.map(({ account_id: accountId, revision }) => ({ accountId, revision: Number(revision) }));
  }
}
