import { hash } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import { ApiKey, type ApiKeyLimits } from '../../database/entities/api-key.entity.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyDirectory, KeyRecord, ResolvedKeyLimits, Scope } from '../../gateway/key-directory.ts';
import { remember } from '../bounded-map.ts';
import { databaseUnavailable } from '../database-availability.ts';
import { accountGuard } from '../moderation-rules.ts';
import { maskSecret, verifyChecksum } from './key-format.ts';
import { KeyLookup } from './key-lookup.ts';
import type { KeyPepper } from './pepper.ts';

const MOST_KEYS = 100_000;
const MOST_DASHBOARDS = 10_000;
const MOST_UNKNOWN = 10_000;
const UNKNOWN_FOR_MS = 10_000;

export interface KeyDirectoryOptions {
  readonly database: Database;
  readonly pepper: KeyPepper;
  /** What a key without limits of its own has. Another object where they changed: keys in memory follow. */
  readonly defaults: () => ResolvedKeyLimits;
  readonly now?: () => number;
}

/**
 * Keys in memory, by the SHA-256 of their secret. The database is asked once for a key that is not known yet, however many
 * requests come with it at that moment; a revocation is told, and then holds at once.
 */
export class MemoryKeyDirectory implements KeyDirectory {
  readonly #options: KeyDirectoryOptions;
  readonly #now: () => number;
  readonly #lookup: KeyLookup;
  readonly #known = new Map<string, KeyRecord>();
  readonly #hashesById = new Map<string, string>();
  readonly #unknownUntil = new Map<string, number>();
  readonly #lookups = new Map<string, Promise<KeyRecord>>();
  readonly #dashboards = new Map<string, KeyRecord>();
  readonly #ownLimits = new WeakMap<KeyRecord, ApiKeyLimits>();
  readonly #revocationListeners = new Set<(keyId: string) => void>();
  /** Counts evictions: a look-up that began before one may have read what it removed. */
  #generation = 0;
  #defaults: ResolvedKeyLimits;

  constructor(options: KeyDirectoryOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#lookup = new KeyLookup(options.database, options.pepper);
    this.#defaults = options.defaults();
  }

  find(secret: string): KeyRecord | Promise<KeyRecord> {
    this.#followDefaults();
    // The fastest encoding of those that a map's key can have.
    const digest = hash('sha256', secret, 'binary');
    const known = this.#known.get(digest);
    if (known !== undefined) return this.#unexpired(known);
    if (!verifyChecksum(secret)) throw invalidKey(secret);
    if ((this.#unknownUntil.get(digest) ?? 0) > this.#now()) throw invalidKey(secret);
    let lookup = this.#lookups.get(digest);
    if (lookup === undefined) {
      lookup = this.#lookUp(digest, secret);
      this.#lookups.set(digest, lookup);
    }
    return lookup.then((record) => this.#unexpired(record));
  }

  /** The account's built-in key, which its signed-in sessions run as. @throws SluiceError not_found | database_unavailable */
  async dashboardKey(accountId: string): Promise<KeyRecord> {
    this.#followDefaults();
    const known = this.#dashboards.get(accountId);
    if (known !== undefined) return known;
    const row = await this.#readDashboardKey(accountId);
    if (row === null) throw new SluiceError('not_found', { values: { what: 'account' } });
    const record = this.#toRecord(row);
    remember(this.#dashboards, MOST_DASHBOARDS, accountId, record);
    return record;
  }

  /** Forgets a key, so that its next use reads it anew. */
  evict(keyId: string): void {
    this.#generation++;
    const digest = this.#hashesById.get(keyId);
    if (digest !== undefined) this.#known.delete(digest);
    this.#hashesById.delete(keyId);
  }

  /** A key was revoked: it is refused from now on, and whoever serves it is told. */
  revoked(keyId: string): void {
    this.evict(keyId);
    for (const listener of this.#revocationListeners) listener(keyId);
  }

  /** @returns stops telling */
  onRevoked(listener: (keyId: string) => void): () => void {
    this.#revocationListeners.add(listener);
    return () => this.#revocationListeners.delete(listener);
  }

  async #lookUp(digest: string, secret: string): Promise<KeyRecord> {
    try {
      const row = await this.#readCurrent(secret);
      if (row === null) {
        remember(this.#unknownUntil, MOST_UNKNOWN, digest, this.#now() + UNKNOWN_FOR_MS);
        throw invalidKey(secret);
      }
      const record = this.#toRecord(row);
      remember(this.#known, MOST_KEYS, digest, record);
      remember(this.#hashesById, MOST_KEYS, record.id, digest);
      return record;
    } finally {
      // In the same turn as the outcome is kept: nobody joins a look-up that is over.
      this.#lookups.delete(digest);
    }
  }

  async #readCurrent(secret: string): Promise<ApiKey | null> {
    for (;;) {
      const generation = this.#generation;
      const row = await this.#lookup.find(secret);
      if (generation === this.#generation) return row;
    }
  }

  async #readDashboardKey(accountId: string): Promise<ApiKey | null> {
    try {
      return await this.#options.database
        .em()
        .findOne(ApiKey, { account: accountId, kind: 'dashboard', revokedAt: null });
    } catch (cause) {
      throw databaseUnavailable(cause);
    }
  }

  #toRecord(row: ApiKey): KeyRecord {
    const record: KeyRecord = Object.freeze({
      id: row.id,
      accountId: row.account.id,
      memberId: row.createdBy?.id ?? null,
      name: row.name,
      scopes: new Set(row.scopes.filter(isScope)),
      allowedModels: row.allowedModels,
      expiresAt: row.expiresAt?.getTime() ?? null,
      limits: resolveLimits(row.limits, this.#defaults),
      liveContent: row.liveContent,
      cacheMs: row.responseCacheSeconds === null ? null : row.responseCacheSeconds * 1_000,
      moderation: row.moderation && accountGuard(row.moderation),
    });
    if (row.limits !== null) this.#ownLimits.set(record, row.limits);
    return record;
  }

  /** New defaults reach the keys that are in memory without asking the database, which may be away. */
  #followDefaults(): void {
    const defaults = this.#options.defaults();
    if (defaults === this.#defaults) return;
    this.#defaults = defaults;
    for (const records of [this.#known, this.#dashboards])
      for (const [at, record] of records) records.set(at, this.#withDefaults(record));
  }

  #withDefaults(record: KeyRecord): KeyRecord {
    const own = this.#ownLimits.get(record) ?? null;
    const renewed = Object.freeze({ ...record, limits: resolveLimits(own, this.#defaults) });
    if (own !== null) this.#ownLimits.set(renewed, own);
    return renewed;
  }

  #unexpired(record: KeyRecord): KeyRecord {
    if (record.expiresAt !== null && record.expiresAt <= this.#now())
      throw new SluiceError('expired_api_key', { values: { expiredAt: new Date(record.expiresAt).toISOString() } });
    return record;
  }
}

export const scopes = ['inference', 'read', 'manage'] as const satisfies readonly Scope[];

export function isScope(text: string): text is Scope {
  return scopes.some((scope) => scope === text);
}

function resolveLimits(own: ApiKeyLimits | null, defaults: ResolvedKeyLimits): ResolvedKeyLimits {
  return Object.freeze({
    requestsPerMinute: own?.requestsPerMinute ?? defaults.requestsPerMinute,
    tokensPerMinute: own?.tokensPerMinute ?? defaults.tokensPerMinute,
    requestsPerDay: own?.requestsPerDay ?? defaults.requestsPerDay,
    concurrency: own?.concurrency ?? defaults.concurrency,
  });
}

function invalidKey(secret: string): SluiceError {
  return new SluiceError('invalid_api_key', { values: { key: maskSecret(secret) } });
}
