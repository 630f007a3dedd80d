import { ForeignKeyConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { Database } from '../../database/database.ts';
import { Account, ApiKey, User, type ApiKeyLimits } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { orUnavailable } from '../database-availability.ts';
import { isUuid } from '../uuid.ts';
import type { MemoryKeyDirectory } from './key-directory.ts';
import { generateSecret, maskSecret } from './key-format.ts';
import { keyChangeSchema, newKeySchema, parseInput, requireFuture, type KeyChange, type NewKey } from './key-input.ts';
import type { KeyPepper } from './pepper.ts';

export interface KeyFilter {
  readonly nameContains?: string | undefined;
  /** Revoked keys are left out where absent. */
  readonly revoked?: boolean | undefined;
}

/** Where a page stands in the order of creation, newest first. */
export interface KeyPosition {
  readonly createdAt: Date;
  readonly id: string;
}

export interface KeyPageRequest {
  readonly limit: number;
  readonly after?: KeyPosition | undefined;
  readonly before?: KeyPosition | undefined;
  /** Takes the page from the end. */
  readonly backwards?: boolean | undefined;
}

export interface KeyPage {
  readonly rows: readonly ApiKey[];
  readonly hasMore: boolean;
}

/** API keys of an account. Another account's key is not found. Every method also throws SluiceError database_unavailable. */
export class KeysService {
  readonly #database: Database;
  readonly #pepper: KeyPepper;
  readonly #directory: MemoryKeyDirectory;

  constructor(database: Database, pepper: KeyPepper, directory: MemoryKeyDirectory) {
    this.#database = database;
    this.#pepper = pepper;
    this.#directory = directory;
  }

  /** Makes a key. Its secret is in this answer and nowhere else. @throws SluiceError bad_user_input | not_found */
  async create(accountId: string, userId: string | null, input: NewKey): Promise<{ secret: string; key: ApiKey }> {
    if (!isUuid(accountId)) throw notFound('account');
    return orUnavailable(async () => {
      const em = this.#database.em();
      const made = this.build(em, accountId, userId, input);
      try {
        await em.flush();
      } catch (error) {
        throw error instanceof ForeignKeyConstraintViolationException ? notFound('account') : error;
      }
      return made;
    });
  }

  /** The same within a unit of work of the caller's. */
  build(em: EntityManager, accountId: string, userId: string | null, input: NewKey): { secret: string; key: ApiKey } {
    const given = parseInput(newKeySchema, input);
    const { name, scopes, allowedModels, expiresAt, limits, liveContent, responseCacheSeconds, moderation } = given;
    requireFuture(expiresAt, Date.now());
    const secret = generateSecret();
    const key = em.create(ApiKey, {
      account: em.getReference(Account, accountId),
      createdBy: userId === null ? null : em.getReference(User, userId),
      name,
      hint: maskSecret(secret),
      secretHmac: this.#pepper.secretHmac(secret),
      pepperVersion: this.#pepper.currentVersion,
      scopes: [...new Set(scopes)],
      allowedModels: allowedModels ?? null,
      expiresAt: expiresAt ?? null,
      limits: ownLimits(limits),
      liveContent: liveContent ?? true,
      responseCacheSeconds: responseCacheSeconds ?? null,
      moderation: moderation ?? null,
      createdAt: new Date(),
    });
    em.persist(key);
    return { secret, key };
  }

  async list(accountId: string, filter: KeyFilter, page: KeyPageRequest): Promise<KeyPage> {
    const conditions = matching(accountId, filter);
    if (page.after) conditions.push(older(page.after));
    if (page.before) conditions.push(newer(page.before));
    const direction = page.backwards ? 'asc' : 'desc';
    const orderBy = [{ createdAt: direction }, { id: direction }] as const;
    const rows = await orUnavailable(() =>
      this.#database.em().find(ApiKey, { $and: conditions }, { orderBy: [...orderBy], limit: page.limit + 1 }),
    );
    const shown = rows.slice(0, page.limit);
    return { rows: page.backwards ? shown.toReversed() : shown, hasMore: rows.length > page.limit };
  }

  count(accountId: string, filter: KeyFilter): Promise<number> {
    return orUnavailable(() => this.#database.em().count(ApiKey, { $and: matching(accountId, filter) }));
  }

  /** @throws SluiceError not_found */
  get(accountId: string, keyId: string): Promise<ApiKey> {
    return orUnavailable(() => this.#find(this.#database.em(), accountId, keyId));
  }

  /** Of those given, the keys that the account has. */
  byIds(accountId: string, keyIds: readonly string[]): Promise<ApiKey[]> {
    const id = { $in: keyIds.filter(isUuid) };
    return orUnavailable(() => this.#database.em().find(ApiKey, { account: accountId, id }));
  }

  /** An absent member stays as it is; null takes it away. @throws SluiceError not_found | bad_user_input */
  async update(accountId: string, keyId: string, input: KeyChange): Promise<ApiKey> {
    const change = parseInput(keyChangeSchema, input);
    requireFuture(change.expiresAt, Date.now());
    return this.#change(accountId, keyId, (key) => {
      if (key.revokedAt !== null) throw notFound();
      apply(change, key);
    });
  }

  /** Refused from the moment this returns, in this process. A second call changes nothing. @throws SluiceError not_found */
  async revoke(accountId: string, keyId: string): Promise<ApiKey> {
    const key = await this.#change(accountId, keyId, (found) => {
      found.revokedAt ??= new Date();
    });
    this.#directory.revoked(keyId);
    return key;
  }

  #change(accountId: string, keyId: string, change: (key: ApiKey) => void): Promise<ApiKey> {
    return orUnavailable(async () => {
      const em = this.#database.em();
      const key = await this.#find(em, accountId, keyId);
      change(key);
      try {
        await em.flush();
      } finally {
        // Also where the answer was lost: the change may have been committed.
        this.#directory.evict(keyId);
      }
      return key;
    });
  }

  async #find(em: EntityManager, accountId: string, keyId: string): Promise<ApiKey> {
    const key = isUuid(keyId) ? await em.findOne(ApiKey, { id: keyId, account: accountId, kind: 'user' }) : null;
    if (key === null) throw notFound();
    return key;
  }
}

function apply(change: z.output<typeof keyChangeSchema>, key: ApiKey): void {
  if (change.name) key.name = change.name;
  if (change.allowedModels !== undefined) key.allowedModels = change.allowedModels;
  if (change.expiresAt !== undefined) key.expiresAt = change.expiresAt;
  if (change.limits !== undefined) key.limits = ownLimits(change.limits);
  if (change.liveContent !== undefined && change.liveContent !== null) key.liveContent = change.liveContent;
  if (change.responseCacheSeconds !== undefined) key.responseCacheSeconds = change.responseCacheSeconds;
  if (change.moderation !== undefined) key.moderation = change.moderation;
}

function matching(accountId: string, filter: KeyFilter): FilterQuery<ApiKey>[] {
  const conditions: FilterQuery<ApiKey>[] = [{ account: accountId, kind: 'user' }];
  if (filter.nameContains) {
    // No name holds a NUL, and PostgreSQL takes none as a parameter either.
    const part = filter.nameContains.replaceAll('\0', '\u{fffd}').replace(/[\\%_]/g, '\\$&');
    conditions.push({ name: { $ilike: `%${part}%` } });
  }
  if (filter.revoked !== true) conditions.push({ revokedAt: null });
  return conditions;
}

function older({ createdAt, id }: KeyPosition): FilterQuery<ApiKey> {
  return { $or: [{ createdAt: { $lt: createdAt } }, { createdAt, id: { $lt: id } }] };
}

function newer({ createdAt, id }: KeyPosition): FilterQuery<ApiKey> {
  return { $or: [{ createdAt: { $gt: createdAt } }, { createdAt, id: { $gt: id } }] };
}

function ownLimits(limits: NewKey['limits']): ApiKeyLimits | null {
  const own: ApiKeyLimits = {};
  if (limits?.requestsPerMinute) own.requestsPerMinute = limits.requestsPerMinute;
  if (limits?.tokensPerMinute) own.tokensPerMinute = limits.tokensPerMinute;
  if (limits?.requestsPerDay) own.requestsPerDay = limits.requestsPerDay;
  if (limits?.concurrency) own.concurrency = limits.concurrency;
  return Object.keys(own).length === 0 ? null : own;
}

function notFound(what = 'API key'): SluiceError {
  return new SluiceError('not_found', { values: { what } });
}
