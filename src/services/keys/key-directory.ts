import { hash } from 'node:crypto';
import type { FilterQuery } from '@mikro-orm/core';
import type { Database } from '../../database/database.ts';
import { ApiKey, type ApiKeyLimits } from '../../database/entities/api-key.entity.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyDirectory, KeyRecord, ResolvedKeyLimits, Scope } from '../../gateway/key-directory.ts';
import { maskSecret, verifyChecksum } from './key-format.ts';
import type { KeyPepper } from './pepper.ts';

const MOST_KEYS = 100_000;
const MOST_UNKNOWN = 10_000;
const UNKNOWN_FOR_MS = 10_000;

export interface KeyDirectoryOptions {
  readonly database: Database;
  readonly pepper: KeyPepper;
  /** What a key without limits of its own has. */
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
  readonly #known = new Map<string, KeyRecord>();
  readonly #hashesById = new Map<string, string>();
  readonly #unknownUntil = new Map<string, number>();
  readonly #lookups = new Map<string, Promise<KeyRecord>>();
  readonly #dashboards = new Map<string, Promise<KeyRecord>>();
  readonly #revocationListeners = new Set<(keyId: string) => void>();
  /** Counts evictions: a look-up that began before one may have read what it removed. */
  #generation = 0;

  constructor(options: KeyDirectoryOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  find(secret: string): KeyRecord | Promise<KeyRecord> {
    if (!verifyChecksum(secret)) throw invalidKey(secret);
    const digest = hash('sha256', secret, 'base64url');
    const known = this.#known.get(digest);
    if (known !== undefined) return this.#unexpired(known);
    if ((this.#unknownUntil.get(digest) ?? 0) > this.#now()) throw invalidKey(secret);
    let lookup = this.#lookups.get(digest);
    if (lookup === undefined) {
      lookup = this.#lookUp(digest, secret).finally(() => this.#lookups.delete(digest));
      this.#lookups.set(digest, lookup);
    }
    return lookup.then((record) => this.#unexpired(record));
  }

  /** The account's built-in key, which its signed-in sessions run as. @throws SluiceError not_found | database_unavailable */
  dashboardKey(accountId: string): Promise<KeyRecord> {
    let found = this.#dashboards.get(accountId);
    if (found === undefined) {
      found = this.#loadDashboardKey(accountId);
      this.#dashboards.set(accountId, found);
      found.catch(() => this.#dashboards.delete(accountId));
    }
    return found;
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
    for (;;) {
      const generation = this.#generation;
      const row = await this.#read({
        secretHmac: { $in: this.#options.pepper.everyHmac(secret).map(({ hmac }) => hmac) },
        revokedAt: null,
      });
      if (generation !== this.#generation) continue;
      if (row === null) {
        remember(this.#unknownUntil, MOST_UNKNOWN, digest, this.#now() + UNKNOWN_FOR_MS);
        throw invalidKey(secret);
      }
      const record = this.#toRecord(row);
      remember(this.#known, MOST_KEYS, digest, record);
      remember(this.#hashesById, MOST_KEYS, record.id, digest);
      return record;
    }
  }

  async #loadDashboardKey(accountId: string): Promise<KeyRecord> {
    const row = await this.#read({ account: accountId, kind: 'dashboard', revokedAt: null });
    if (row === null) throw new SluiceError('not_found', { values: { what: 'account' } });
    return this.#toRecord(row);
  }

  async #read(where: FilterQuery<ApiKey>): Promise<ApiKey | null> {
    try {
      return await this.#options.database.em().findOne(ApiKey, where);
    } catch (cause) {
      throw new SluiceError('database_unavailable', { retryAfterMs: 1_000, cause });
    }
  }

  #toRecord(row: ApiKey): KeyRecord {
    return Object.freeze({
      id: row.id,
      accountId: row.account.id,
      memberId: row.createdBy?.id ?? null,
      name: row.name,
      scopes: new Set(row.scopes.filter(isScope)),
      allowedModels: row.allowedModels,
      expiresAt: row.expiresAt?.getTime() ?? null,
      limits: resolveLimits(row.limits, this.#options.defaults()),
      liveContent: row.liveContent,
    });
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
  return {
    requestsPerMinute: own?.requestsPerMinute ?? defaults.requestsPerMinute,
    tokensPerMinute: own?.tokensPerMinute ?? defaults.tokensPerMinute,
    requestsPerDay: own?.requestsPerDay ?? defaults.requestsPerDay,
    concurrency: own?.concurrency ?? defaults.concurrency,
  };
}

/** Adds to a map of bounded size; the oldest entry makes room. */
function remember<Value>(map: Map<string, Value>, most: number, key: string, value: Value): void {
  if (map.size >= most) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
  map.set(key, value);
}

function invalidKey(secret: string): SluiceError {
  return new SluiceError('invalid_api_key', { values: { key: maskSecret(secret) } });
}
