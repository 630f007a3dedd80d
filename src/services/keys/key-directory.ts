import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { KeyDirectory, KeyRecord, RateLimits, SpendingRestriction } from '../../gateway/keys/key-directory.ts';
import { KeyCache } from './directory/key-cache.ts';
import { KeyReader, type KeyReaderDependencies, type StoredKey } from './directory/key-reader.ts';
import { KeyRecords, type KeyConfiguration } from './key-records.ts';
import { expiredKey, expiredToken } from './directory/key-rejection.ts';
import { isAccessToken } from './secrets/access-token.ts';
import { SecretDigests } from './secrets/secret-digests.ts';

export interface KeyDirectoryOptions extends KeyConfiguration, KeyReaderDependencies {
  readonly clock?: Clock;
}

type KeyListener = (keyId: string) => void;

/**
 * Keys in memory, by the SHA-256 of their secrets. An unknown secret causes one query, however many concurrent requests use
 * it; a revocation is announced and takes effect immediately. An access token is a key record with an earlier expiry.
 */
export class MemoryKeyDirectory implements KeyDirectory {
  readonly #clock: Clock;
  readonly #records: KeyRecords;
  readonly #digests = new SecretDigests();
  readonly #cache = new KeyCache();
  readonly #reader: KeyReader;
  readonly #revocationListeners = new Set<KeyListener>();
  readonly #restorationListeners = new Set<KeyListener>();
  readonly #changeListeners = new Set<KeyListener>();

  constructor(options: KeyDirectoryOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#records = new KeyRecords(options);
    this.#reader = new KeyReader(options, this.#clock, this.#records, this.#cache);
  }

  /** The limits of a key on this plan without limits of its own. */
  defaultsWithin(plan: RateLimits): RateLimits {
    return this.#records.defaultsWithin(plan);
  }

  /** The spending restriction for accounts that are not approved; null for none. */
  get restriction(): SpendingRestriction | null {
    return this.#records.restriction;
  }

  /** Finds a key by its secret, by its previous secret, or by an access token. */
  find(secret: string, connection?: object): KeyRecord | Promise<KeyRecord> {
    this.#records.follow(this.#cache.all);
    const digest = this.#digests.of(secret, connection);
    const known = this.#cache.keys.get(digest);
    if (known !== undefined) return this.#unexpired(known);
    if (isAccessToken(secret)) return this.#findByToken(digest, secret);
    return this.#reader.key(digest, secret).then((record) => this.#unexpired(record));
  }

  /**
   * The account's built-in key for signed-in sessions, acting for the member who signed in.
   * @throws SluiceError not_found | database_unavailable
   */
  async dashboardKey(accountId: string, memberId: string | null = null): Promise<KeyRecord> {
    this.#records.follow(this.#cache.all);
    const id = `${accountId} ${memberId}`;
    const known = this.#cache.dashboards.get(id);
    return known ?? this.#reader.dashboardKey(id, accountId, memberId);
  }

  /**
   * The current record of the key that created something, read from the database.
   * @throws SluiceError invalid_api_key | expired_api_key | account_deleted | database_unavailable
   */
  async storedKey(key: StoredKey): Promise<KeyRecord> {
    return this.#unexpired(await this.#reader.storedKey(key));
  }

  /** Removes a key from memory, so that its next use reads it again, and notifies its followers. */
  evict(keyId: string): void {
    this.#cache.evict(keyId);
    for (const listener of this.#changeListeners) listener(keyId);
  }

  /** Removes an account's keys from memory: they are read again at their next use. */
  evictAccount(accountId: string): void {
    this.#reader.forgetAccount(accountId);
    this.#cache.evictAccount(accountId);
  }

  /** Rejects a revoked key or access token from now on, and notifies those that serve it. @param id its UUID */
  revoked(id: string): void {
    this.#cache.evict(id);
    for (const listener of this.#revocationListeners) listener(id);
  }

  /** @returns a function that removes the listener */
  onRevoked(listener: KeyListener): () => void {
    this.#revocationListeners.add(listener);
    return () => this.#revocationListeners.delete(listener);
  }

  /** Accepts a key of a restored account again, and notifies those that serve it. */
  restored(keyId: string): void {
    this.evict(keyId);
    for (const listener of this.#restorationListeners) listener(keyId);
  }

  /** @returns a function that removes the listener */
  onRestored(listener: KeyListener): () => void {
    this.#restorationListeners.add(listener);
    return () => this.#restorationListeners.delete(listener);
  }

  /**
   * Called for keys that changed, or may have: a rotated secret, another expiry. @returns a function that removes the listener
   */
  onChanged(listener: KeyListener): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  #findByToken(digest: string, token: string): KeyRecord | Promise<KeyRecord> {
    const known = this.#cache.tokens.get(digest);
    if (known !== undefined) return this.#unexpiredToken(known);
    return this.#reader.token(digest, token).then((record) => this.#unexpiredToken(record));
  }

  #unexpired(record: KeyRecord): KeyRecord {
    if (record.expiresAt !== null && record.expiresAt <= this.#clock.now()) throw expiredKey(record.expiresAt, record);
    return record;
  }

  #unexpiredToken(record: KeyRecord): KeyRecord {
    if (record.expiresAt !== null && record.expiresAt <= this.#clock.now())
      throw expiredToken(record.expiresAt, record);
    return record;
  }
}
