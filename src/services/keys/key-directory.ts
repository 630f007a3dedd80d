import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { AccessToken } from '../../database/entities/access-token.entity.ts';
import { ApiKey } from '../../database/entities/api-key.entity.ts';
import { SluiceError, type RefusedKey } from '../../errors/index.ts';
import type { KeyDirectory, KeyRecord, RateLimits, SpendingRestriction } from '../../gateway/key-directory.ts';
import { remember } from '../bounded-map.ts';
import { databaseUnavailable } from '../database-availability.ts';
import { accountDeleted } from '../accounts/authorization.ts';
import { isAccessToken, type AccessTokenSigner, type TokenClaims } from './access-token.ts';
import { maskSecret, verifyChecksum } from './key-format.ts';
import { KeyLookup, type FoundKey } from './key-lookup.ts';
import { KeyRecords, type KeyConfiguration } from './key-records.ts';
import type { KeyPepper } from './pepper.ts';
import { SecretDigests } from './secret-digests.ts';
import { endOfSecret, secretIdOf } from './secret-id.ts';

const MAX_KEYS = 100_000;
const MAX_TOKENS = 20_000;
const MAX_DASHBOARDS = 10_000;
const MAX_UNKNOWN = 10_000;
const UNKNOWN_TTL_MS = 10_000;
/** How long another process may refuse the keys of an account that was restored. */
const DELETED_TTL_MS = 1_000;

export interface KeyDirectoryOptions extends KeyConfiguration {
  readonly database: Database;
  readonly pepper: KeyPepper;
  /** Reads access tokens; without it there are none. */
  readonly tokens?: AccessTokenSigner;
  readonly clock?: Clock;
}

type KeyListener = (keyId: string) => void;

/**
 * Keys in memory, by the SHA-256 of their secrets. The database is asked once for a secret that is not known yet, however many
 * requests come with it at that moment; a revocation is told, and then holds at once. An access token is a key's record that
 * ends sooner.
 */
export class MemoryKeyDirectory implements KeyDirectory {
  readonly #options: KeyDirectoryOptions;
  readonly #clock: Clock;
  readonly #lookup: KeyLookup;
  readonly #records: KeyRecords;
  readonly #digests = new SecretDigests();
  readonly #known = new Map<string, KeyRecord>();
  /** Of a key that was rotated, both secrets'. */
  readonly #hashesById = new Map<string, readonly string[]>();
  /** Apart from keys, which must not be forgotten for them. */
  readonly #tokens = new Map<string, KeyRecord>();
  /** Of the clock's `monotonic`, as `until` below. */
  readonly #unknownKeys = new Map<string, { readonly until: number; readonly key: RefusedKey | undefined }>();
  /** Keys of accounts that were deleted: asking for them must not cost a query each. */
  readonly #deleted = new Map<
    string,
    { readonly accountId: string; readonly erasedAfter: Date; readonly until: number }
  >();
  readonly #lookups = new Map<string, Promise<KeyRecord>>();
  readonly #dashboards = new Map<string, KeyRecord>();
  readonly #kept = [this.#known, this.#tokens, this.#dashboards] as const;
  readonly #revocationListeners = new Set<KeyListener>();
  readonly #restorationListeners = new Set<KeyListener>();
  readonly #changeListeners = new Set<KeyListener>();
  /** Counts evictions: a look-up that began before one may have read what it removed. */
  #generation = 0;

  constructor(options: KeyDirectoryOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#lookup = new KeyLookup(options.database, options.pepper);
    this.#records = new KeyRecords(options);
  }

  /** What a key of that plan has that was given no limits of its own. */
  defaultsWithin(plan: RateLimits): RateLimits {
    return this.#records.defaultsWithin(plan);
  }

  /** What accounts still need that nobody vouches for; null for nothing. */
  get restriction(): SpendingRestriction | null {
    return this.#records.restriction;
  }

  /** By a key's secret, by the one before its last rotation, or by an access token. */
  find(secret: string, connection?: object): KeyRecord | Promise<KeyRecord> {
    this.#followConfiguration();
    const digest = this.#digests.of(secret, connection);
    const known = this.#known.get(digest);
    if (known !== undefined) return this.#unexpired(known);
    if (isAccessToken(secret)) return this.#findByToken(digest, secret);
    if (!verifyChecksum(secret)) throw invalidKey(secret);
    return this.#together(digest, secret, () => this.#lookUp(digest, secret)).then((record) => this.#unexpired(record));
  }

  /**
   * The account's built-in key, which its signed-in sessions run as; of a session it stands for the member who signed in.
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

  /** Forgets a key, so that its next use reads it anew, and tells who follows it. */
  evict(keyId: string): void {
    this.#forget(keyId);
    for (const listener of this.#changeListeners) listener(keyId);
  }

  /** Forgets what it knows of an account: its keys are read anew when they are next used. */
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

  /** A key or an access token was revoked: it is refused from now on, and whoever serves it is told. @param id its UUID */
  revoked(id: string): void {
    this.#forget(id);
    for (const listener of this.#revocationListeners) listener(id);
  }

  /** @returns stops telling */
  onRevoked(listener: KeyListener): () => void {
    this.#revocationListeners.add(listener);
    return () => this.#revocationListeners.delete(listener);
  }

  /** A key that was ended with its account is served again, and whoever serves it is told. */
  restored(keyId: string): void {
    this.evict(keyId);
    for (const listener of this.#restorationListeners) listener(keyId);
  }

  /** @returns stops telling */
  onRestored(listener: KeyListener): () => void {
    this.#restorationListeners.add(listener);
    return () => this.#restorationListeners.delete(listener);
  }

  /** Of keys that are others now, or may be: a secret that was rotated away, another end. @returns stops telling */
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

  /** A look-up that others join; what was not found is not looked for again for a while. */
  #together(digest: string, secret: string, lookUp: () => Promise<KeyRecord>): Promise<KeyRecord> {
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
    return this.#together(digest, token, () => this.#lookUpToken(digest, token, claims)).then((record) =>
      this.#unexpiredToken(record),
    );
  }

  /** A token ends with the secret that it was made by, its key's or another key's. */
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
    // What it spends is counted for who made it: else a member would spend another's budget by a token of their key.
    const memberId = made.createdBy?.id ?? row.createdBy?.id ?? null;
    const terms = { memberId, credential: 'access_token' as const, secretId, tokenId, endsWithIds, scopes, endsAt };
    const record = this.#records.of(row, terms);
    remember(this.#tokens, MAX_TOKENS, digest, record);
    return record;
  }

  /** Of a secret whose account was deleted that is kept, for a while. @throws SluiceError account_deleted */
  #requireLiving(digest: string, { account: { id: accountId, erasedAfter } }: ApiKey): void {
    if (erasedAfter === null) return;
    const until = this.#clock.monotonic() + DELETED_TTL_MS;
    remember(this.#deleted, MAX_UNKNOWN, digest, { accountId, erasedAfter, until });
    throw accountDeleted(erasedAfter);
  }

  /** @param row of a key that was revoked */
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

  /** Null for one that was revoked. */
  async #readToken(id: string): Promise<AccessToken | null> {
    try {
      return await this.#options.database.em().findOne(AccessToken, { id, revokedAt: null });
    } catch (cause) {
      throw databaseUnavailable(cause);
    }
  }

  #followConfiguration(): void {
    this.#records.follow(this.#kept);
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
