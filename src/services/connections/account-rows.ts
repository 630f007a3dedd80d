import type { AccountRoute, ProviderConnection } from '../../database/entities/index.ts';
import type { ConnectionReader } from './connection-reader.ts';

/** Reads the connections and routes of accounts, with one query for concurrent requests. */
export class AccountRows<Result> {
  readonly #reader: Pick<ConnectionReader, 'of' | 'routesOf'>;
  readonly #onRead: (
    accountId: string,
    connections: readonly ProviderConnection[],
    routes: readonly AccountRoute[],
  ) => Result;
  readonly #reading = new Map<string, Promise<Result>>();
  /** Changed since their rows were last read. */
  readonly #outdated = new Set<string>();

  /** @param onRead called once for the requests that share a query, with its rows */
  constructor(
    reader: Pick<ConnectionReader, 'of' | 'routesOf'>,
    onRead: (accountId: string, connections: readonly ProviderConnection[], routes: readonly AccountRoute[]) => Result,
  ) {
    this.#reader = reader;
    this.#onRead = onRead;
  }

  isReading(accountId: string): boolean {
    return this.#reading.has(accountId);
  }

  /** @throws SluiceError database_unavailable */
  read(accountId: string): Promise<Result> {
    let reading = this.#reading.get(accountId);
    if (reading === undefined) {
      reading = this.#read(accountId);
      this.#reading.set(accountId, reading);
    }
    return reading;
  }

  /** Reads after a change: a query that is running is repeated. @throws SluiceError database_unavailable */
  readChanged(accountId: string): Promise<Result> {
    this.#outdated.add(accountId);
    return this.read(accountId);
  }

  async #read(accountId: string): Promise<Result> {
    try {
      let rows;
      do {
        this.#outdated.delete(accountId);
        rows = await Promise.all([this.#reader.of(accountId), this.#reader.routesOf(accountId)]);
      } while (this.#outdated.has(accountId));
      return this.#onRead(accountId, ...rows);
    } finally {
      // Synchronously with the result, so that no request joins a completed lookup.
      this.#reading.delete(accountId);
    }
  }
}
