import type { KeyRecord } from '../../../gateway/keys/key-directory.ts';
import { setBounded } from '../../bounded-map.ts';

const MAX_KEYS = 100_000;
const MAX_TOKENS = 20_000;
const MAX_DASHBOARDS = 10_000;

/** Key records in memory, until they are evicted. */
export class KeyCache {
  /** By the digest of their secret. */
  readonly keys = new Map<string, KeyRecord>();
  /** Separate from keys, so that tokens do not evict them. */
  readonly tokens = new Map<string, KeyRecord>();
  /** By account and member. */
  readonly dashboards = new Map<string, KeyRecord>();
  readonly all = [this.keys, this.tokens, this.dashboards] as const;
  /** For a rotated key, of both secrets. */
  readonly #digestsById = new Map<string, readonly string[]>();
  readonly #reading = new Map<string, Promise<KeyRecord>>();
  /** Counts evictions: a query that started before one may have read outdated rows. */
  #generation = 0;

  addKey(digest: string, record: KeyRecord): void {
    setBounded(this.keys, MAX_KEYS, digest, record);
    const others = (this.#digestsById.get(record.id) ?? []).filter((other) => other !== digest);
    setBounded(this.#digestsById, MAX_KEYS, record.id, [...others, digest]);
  }

  addToken(digest: string, record: KeyRecord): void {
    setBounded(this.tokens, MAX_TOKENS, digest, record);
  }

  addDashboard(id: string, record: KeyRecord): void {
    setBounded(this.dashboards, MAX_DASHBOARDS, id, record);
  }

  /** Removes a key and its access tokens, or one access token. @param id its UUID */
  evict(id: string): void {
    this.#generation++;
    for (const digest of this.#digestsById.get(id) ?? []) this.keys.delete(digest);
    this.#digestsById.delete(id);
    for (const [digest, record] of this.tokens)
      if (record.id === id || record.revokedWithIds?.includes(id)) this.tokens.delete(digest);
    for (const [at, record] of this.dashboards) if (record.id === id) this.dashboards.delete(at);
  }

  evictAccount(accountId: string): void {
    this.#generation++;
    for (const records of [this.dashboards, this.tokens])
      for (const [at, record] of records) if (record.accountId === accountId) records.delete(at);
    for (const [digest, record] of this.keys) {
      if (record.accountId !== accountId) continue;
      this.keys.delete(digest);
      this.#digestsById.delete(record.id);
    }
  }

  /**
   * Reads again until nothing was evicted meanwhile.
   * @param use adds what was read to the cache. It is synchronous, so that no eviction comes between the check and it.
   */
  async readCurrent<Row, Result>(read: () => Promise<Row>, use: (row: Row) => Result): Promise<Result> {
    for (;;) {
      const generation = this.#generation;
      const row = await read();
      if (generation === this.#generation) return use(row);
    }
  }

  /** As `readCurrent`, with one read for concurrent calls of the same digest. */
  readShared<Row>(digest: string, read: () => Promise<Row>, use: (row: Row) => KeyRecord): Promise<KeyRecord> {
    const shared = this.#reading.get(digest);
    if (shared !== undefined) return shared;
    const unshare = (): void => {
      if (this.#reading.get(digest) === reading) this.#reading.delete(digest);
    };
    // No longer shared once it is used: a later call must not receive a record that was evicted since.
    const reading = this.readCurrent(read, (row) => {
      unshare();
      return use(row);
    }).finally(unshare);
    this.#reading.set(digest, reading);
    return reading;
  }
}
