import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { AccessToken } from '../../database/entities/access-token.entity.ts';
import { ApiKey } from '../../database/entities/api-key.entity.ts';
import { SluiceError, type RefusedKey } from '../../errors/index.ts';
import type { KeyDirectory, KeyRecord, RateLimits, SpendingRestriction } from '../../gateway/keys/key-directory.ts';
import { remember } from '../bounded-map.ts';
import { databaseUnavailable } from '../database-availability.ts';
import { accountDeleted } from '../authorization/authorization.ts';
import { isAccessToken, type AccessTokenSigner, type TokenClaims } from './secrets/access-token.ts';
import { maskSecret, verifyChecksum } from './secrets/key-format.ts';
import { KeyLookup, type FoundKey } from './key-lookup.ts';
import { KeyRecords, type KeyConfiguration } from './key-records.ts';
import type { KeyPepper } from './secrets/pepper.ts';
import { SecretDigests } from './secrets/secret-digests.ts';
import { endOfSecret, secretIdOf } from './secrets/secret-id.ts';

const MAX_KEYS = 100_000;
const MAX_TOKENS = 20_000;
const MAX_DASHBOARDS = 10_000;
const MAX_UNKNOWN = 10_000;
const UNKNOWN_TTL_MS = 10_000;
/** How long another process may still reject the keys of a restored account. */
const DELETED_TTL_MS = 1_000;

export interface KeyDirectoryOptions extends KeyConfiguration {
  readonly database: Database;
  readonly pepper: KeyPepper;
  /** Reads access tokens; without it none are accepted. */
  readonly tokens?: AccessTokenSigner;
  readonly clock?: Clock;
}

type KeyListener = (keyId: string) => void;

/**
 * Keys in memory, by the SHA-256 of their secrets. An unknown secret causes one query, however many concurrent requests use
 * it; a revocation is announced and takes effect immediately. An access token is a key record with an earlier expiry.
 */
export class MemoryKeyDirectory implements KeyDirectory {
  readonly #options: KeyDirectoryOptions;
  readonly #clock: Clock;
  readonly #lookup: KeyLookup;
  readonly #records: KeyRecords;
  readonly #digests = new SecretDigests();
  readonly #known = new Map<string, KeyRecord>();
  /** For a rotated key, of both secrets. */
  readonly #hashesById = new Map<string, readonly string[]>();
  /** Separate from keys, so that tokens do not evict them. */
  readonly #tokens = new Map<string, KeyRecord>();
  /** By the clock's `monotonic`, as is `until` below. */
  readonly #unknownKeys = new Map<string, { readonly until: number; readonly key: RefusedKey | undefined }>();
  /** Keys of deleted accounts, so that requests with them do not each cause a query. */
  readonly #deleted = new Map<
    string,
    { readonly accountId: string; readonly erasedAfter: Date; readonly until: number }
  >();
  readonly #lookups = new Map<string, Promise<KeyRecord>>();
  readonly #dashboards = new Map<string, KeyRecord>();
  readonly #caches = [this.#known, this.#tokens, this.#dashboards] as const;
  readonly #revocationListeners = new Set<KeyListener>();
  readonly #restorationListeners = new Set<KeyListener>();
  readonly #changeListeners = new Set<KeyListener>();
  /** Counts evictions: a lookup that started before one may have read outdated rows. */
  #generation = 0;

  constructor(options: KeyDirectoryOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#lookup = new KeyLookup(options.database, options.pepper);
    this.#records = new KeyRecords(options);
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
    this.#followConfiguration();
    const digest = this.#digests.of(secret, connection);
    const known = this.#known.get(digest);
    if (known !== undefined) return this.#unexpired(known);
    if (isAccessToken(secret)) return this.#findByToken(digest, secret);
    if (!verifyChecksum(secret)) throw invalidKey(secret);
    return this.#shareLookup(digest, secret, () => this.#lookUp(digest, secret)).then((record) =>
      this.#unexpired(record),
    );
  }

  /**
   * The account's built-in key for signed-in sessions, acting for the member who signed in.
   * @throws SluiceError not_found | database_unavailable
   */
  async dashboardKey(accountId: string, memberId: string | null = null): Promise<KeyRecord> {
    this.#followConfiguration();
    const id = `${accountId} ${memberId}`;
    const known = this.#dashboards.get(id);
    if (known !== undefined) return known;
    const row = await this.#readCurrent(() =>
      this.#readKey({ account: accountId, kind: 'dashboard' as const, revokedAt: null }),
    );
    if (row === null) throw new SluiceError('not_found', { values: { what: 'account' } });
    if (row.account.erasedAfter !== null) throw accountDeleted(row.account.erasedAfter);
    const record = this.#records.of(row, { memberId, credential: 'session' });
    remember(this.#dashboards, MAX_DASHBOARDS, id, record);
    return record;
  }

  /** Removes a key from memory, so that its next use reads it again, and notifies its followers. */
  evict(keyId: string): void {
    this.#forget(keyId);
    for (const listener of this.#changeListeners) listener(keyId);
  }

  /** Removes an account's keys from memory: they are read again at their next use. */
  evictAccount(accountId: string): void {
    this.#generation++;
    for (const [digest, deleted] of this.#deleted) if (deleted.accountId === accountId) this.#deleted.delete(digest);
    for (const records of [this.#dashboards, this.#tokens])
      for (const [at, record] of records) if (record.accountId === accountId) records.delete(at);
    for (const [digest, record] of this.#known) {
      if (record.accountId !== accountId) continue;
      this.#known.delete(digest);
      this.#hashesById.delete(record.id);
    }
  }

  /** Rejects a revoked key or access token from now on, and notifies those that serve it. @param id its UUID */
  revoked(id: string): void {
    this.#forget(id);
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

  #forget(id: string): void {
    this.#generation++;
    for (const digest of this.#hashesById.get(id) ?? []) this.#known.delete(digest);
    this.#hashesById.delete(id);
    for (const [digest, record] of this.#tokens)
      if (record.id === id || record.endsWithIds?.includes(id)) this.#tokens.delete(digest);
  }

  /** Shares one lookup among concurrent requests; unknown secrets are cached for a while. */
  #shareLookup(digest: string, secret: string, lookUp: () => Promise<KeyRecord>): Promise<KeyRecord> {
    const unknown = this.#unknownKeys.get(digest);
    if (unknown !== undefined && unknown.until > this.#clock.monotonic()) throw invalidKey(secret, unknown.key);
    const deleted = this.#deleted.get(digest);
    if (deleted !== undefined && deleted.until > this.#clock.monotonic()) throw accountDeleted(deleted.erasedAfter);
    let lookup = this.#lookups.get(digest);
    if (lookup === undefined) {
      lookup = lookUp().finally(() => this.#lookups.delete(digest));
      this.#lookups.set(digest, lookup);
    }
    return lookup;
  }

  async #lookUp(digest: string, secret: string): Promise<KeyRecord> {
    const found = await this.#readCurrent(() => this.#lookup.find(secret));
    if (found === null || found.row.revokedAt !== null) throw this.#unknown(digest, secret, found?.row);
    this.#requireLiving(digest, found.row);
    const record = this.#recordOf(found);
    remember(this.#known, MAX_KEYS, digest, record);
    const others = (this.#hashesById.get(record.id) ?? []).filter((other) => other !== digest);
    remember(this.#hashesById, MAX_KEYS, record.id, [...others, digest]);
    return record;
  }

  #recordOf({ row, isPrevious }: FoundKey): KeyRecord {
    const hmac = isPrevious ? row.previousSecretHmac : row.secretHmac;
    const secretId = hmac === null ? undefined : secretIdOf(hmac);
    if (!isPrevious) return this.#records.of(row, { secretId });
    const endsAt = row.previousSecretExpiresAt?.getTime() ?? 0;
    return this.#records.of(row, { credential: 'superseded_secret', secretId, endsAt });
  }

  #findByToken(digest: string, token: string): KeyRecord | Promise<KeyRecord> {
    const known = this.#tokens.get(digest);
    if (known !== undefined) return this.#unexpiredToken(known);
    const claims = this.#options.tokens?.read(token) ?? null;
    if (claims === null) throw invalidKey(token);
    if (claims.expiresAt <= this.#clock.now()) throw expiredToken(claims.expiresAt);
    return this.#shareLookup(digest, token, () => this.#lookUpToken(digest, token, claims)).then((record) =>
      this.#unexpiredToken(record),
    );
  }

  /** A token expires with the secret that created it, its key's or another key's. */
  async #lookUpToken(digest: string, token: string, claims: TokenClaims): Promise<KeyRecord> {
    const { id: tokenId, keyId, secretId, maker, scopes, expiresAt } = claims;
    const read = (id: string): Promise<ApiKey | null> => this.#readKey({ id, kind: 'user' as const, revokedAt: null });
    const [row, makerRow, made] = await this.#readCurrent(() =>
      Promise.all([read(keyId), maker === null ? null : read(maker.keyId), this.#readToken(tokenId)]),
    );
    if (row !== null) this.#requireLiving(digest, row);
    const ends = [endOfSecret(row, secretId), maker === null ? Infinity : endOfSecret(makerRow, maker.secretId)];
    const endsAt = ends.reduce(earlier, expiresAt);
    if (row === null || endsAt === null || made === null) throw this.#unknown(digest, token);
    const endsWithIds = maker === null ? [tokenId] : [tokenId, maker.keyId];
    // Its spending counts for its creator: otherwise a member could spend another member's budget through a token of their key.
    const memberId = made.createdBy?.id ?? row.createdBy?.id ?? null;
    const terms = { memberId, credential: 'access_token' as const, secretId, tokenId, endsWithIds, scopes, endsAt };
    const record = this.#records.of(row, terms);
    remember(this.#tokens, MAX_TOKENS, digest, record);
    return record;
  }

  /** Secrets of deleted accounts are cached for a while. @throws SluiceError account_deleted */
  #requireLiving(digest: string, { account: { id: accountId, erasedAfter } }: ApiKey): void {
    if (erasedAfter === null) return;
    const until = this.#clock.monotonic() + DELETED_TTL_MS;
    remember(this.#deleted, MAX_UNKNOWN, digest, { accountId, erasedAfter, until });
    throw accountDeleted(erasedAfter);
  }

  /** @param row of a revoked key */
  #unknown(digest: string, secret: string, row?: ApiKey): SluiceError {
    const key = row && refusedKeyOf(row);
    remember(this.#unknownKeys, MAX_UNKNOWN, digest, { until: this.#clock.monotonic() + UNKNOWN_TTL_MS, key });
    return invalidKey(secret, key);
  }

  async #readCurrent<Row>(read: () => Promise<Row>): Promise<Row> {
    for (;;) {
      const generation = this.#generation;
      const row = await read();
      if (generation === this.#generation) return row;
    }
  }

  async #readKey(where: { revokedAt: null } & Partial<Record<'id' | 'account', string>> & Pick<ApiKey, 'kind'>) {
    try {
      return await this.#options.database.em().findOne(ApiKey, where, { populate: ['account'] });
    } catch (cause) {
      throw databaseUnavailable(cause);
    }
  }

  /** Null if it was revoked. */
  async #readToken(id: string): Promise<AccessToken | null> {
    try {
      return await this.#options.database.em().findOne(AccessToken, { id, revokedAt: null });
    } catch (cause) {
      throw databaseUnavailable(cause);
    }
  }

  #followConfiguration(): void {
    this.#records.follow(this.#caches);
  }

  #unexpired(record: KeyRecord): KeyRecord {
    if (record.expiresAt !== null && record.expiresAt <= this.#clock.now())
      throw new SluiceError('expired_api_key', {
        values: { expiredAt: new Date(record.expiresAt).toISOString() },
        refusedKey: record,
      });
    return record;
  }

  #unexpiredToken(record: KeyRecord): KeyRecord {
    if (record.expiresAt !== null && record.expiresAt <= this.#clock.now())
      throw expiredToken(record.expiresAt, record);
    return record;
  }
}

function refusedKeyOf({ id, account, createdBy }: ApiKey): RefusedKey {
  return { id, accountId: account.id, memberId: createdBy?.id ?? null, timeZone: account.timeZone };
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.min(one, other);
}

function invalidKey(secret: string, refusedKey?: RefusedKey): SluiceError {
  return new SluiceError('invalid_api_key', { values: { key: maskSecret(secret) }, refusedKey });
}

function expiredToken(expiresAt: number, refusedKey?: RefusedKey): SluiceError {
  return new SluiceError('expired_access_token', {
    values: { expiredAt: new Date(expiresAt).toISOString() },
    refusedKey,
  });
}
