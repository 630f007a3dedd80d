import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { Account, ApiKey, User } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import type { ModelNames } from '../model-names.ts';
import type { PlanCatalogue } from '../plans/plan.ts';
import { isUuid } from '../uuid.ts';
import type { MemoryKeyDirectory } from './key-directory.ts';
import { generateSecret, maskSecret } from './secrets/key-format.ts';
import { parseInput } from '../parse-input.ts';
import {
  keyChangeSchema,
  newKeySchema,
  requireFuture,
  rotationSchema,
  type KeyChange,
  type KeyRotation,
  type NewKey,
} from './key-input.ts';
import { storedModelNames, modelNamesOf, withModelNames } from './key-models.ts';
import { countKeys, findKeyPage, type KeyFilter, type KeyPage, type KeyPageRequest } from './key-pages.ts';
import { applyChange, roleOf, orNull } from './key-settings.ts';
import { ownLimits } from './own-limits.ts';
import type { KeyPepper } from './secrets/pepper.ts';
import { secretIdOf } from './secrets/secret-id.ts';

/** Work in the same transaction as the key, after its row is inserted. */
export type AlongWithKey = (em: EntityManager, key: ApiKey) => Promise<void>;

/** A key that was changed or revoked, announced to other processes. */
export interface ChangedKey {
  readonly id: string;
  readonly revoked: boolean;
}

const nothing: AlongWithKey = () => Promise.resolve();
/** Marks the key as changed for other processes. */
const CHANGED = 'update api_keys set changed_at = clock_timestamp() where id = ?';
const DEFAULT_OVERLAP_SECONDS = 24 * 3_600;

export interface KeysDependencies {
  readonly database: Database;
  readonly pepper: KeyPepper;
  readonly directory: MemoryKeyDirectory;
  /** Notifies other processes immediately. They also poll for changes. */
  readonly announce?: (changed: ChangedKey) => void;
  readonly clock?: Clock;
  /** The configured plans, which limit the number of keys. No limit if absent or null. */
  readonly plans?: (() => PlanCatalogue) | null;
  /** Model names are stored unchecked if absent or null. */
  readonly models?: ModelNames | null;
}

/** API keys of an account. Another account's key is not found. Every method also throws SluiceError database_unavailable. */
export class KeysService {
  readonly #database: Database;
  readonly #pepper: KeyPepper;
  readonly #directory: MemoryKeyDirectory;
  readonly #announce: (changed: ChangedKey) => void;
  readonly #clock: Clock;
  readonly #plans: (() => PlanCatalogue) | null;
  readonly #models: ModelNames | null;

  constructor({
    database,
    pepper,
    directory,
    announce = () => undefined,
    clock = systemClock,
    plans = null,
    models = null,
  }: KeysDependencies) {
    this.#database = database;
    this.#pepper = pepper;
    this.#directory = directory;
    this.#announce = announce;
    this.#clock = clock;
    this.#plans = plans;
    this.#models = models;
  }

  /**
   * Creates a key. Its secret is returned only here.
   * @throws SluiceError bad_user_input | unknown_model_name | unlisted_model_name | not_found | too_many_api_keys, and what
   * `along` throws
   */
  async create(
    accountId: string,
    userId: string | null,
    input: NewKey,
    along: AlongWithKey = nothing,
  ): Promise<{ secret: string; key: ApiKey }> {
    if (!isUuid(accountId)) throw notFound('account');
    const checked = await this.#checkModels(accountId, input, parseInput(newKeySchema, input), null);
    return mapDatabaseErrors(() =>
      this.#database.em().transactional(async (em) => {
        // Locked, so that concurrent calls count each other's keys.
        await this.#requireRoom(em, await lockAccount(em, accountId));
        const made = this.build(em, accountId, userId, checked);
        await em.flush();
        await along(em, made.key);
        return made;
      }),
    );
  }

  /** As `create`, in the caller's unit of work. Model names are not checked. */
  build(em: EntityManager, accountId: string, userId: string | null, input: NewKey): { secret: string; key: ApiKey } {
    const given = parseInput(newKeySchema, input);
    const role = roleOf(given);
    const { name, scopes, allowedModels, expiresAt, limits, liveContent, responseCacheSeconds, moderation } = given;
    requireFuture(expiresAt, this.#clock.now());
    const secret = generateSecret();
    const key = em.create(ApiKey, {
      account: em.getReference(Account, accountId),
      createdBy: userId === null ? null : em.getReference(User, userId),
      name,
      hint: maskSecret(secret),
      secretHmac: this.#pepper.secretHmac(secret),
      pepperVersion: this.#pepper.currentVersion,
      scopes: [...new Set(scopes)],
      role,
      allowedModels: allowedModels ?? null,
      modelAliases: orNull(given.modelAliases),
      expiresAt: expiresAt ?? null,
      limits: ownLimits(limits),
      liveContent: liveContent ?? true,
      contentLevel: given.contentLevel ?? null,
      contentMayRaise: given.contentMayRaise ?? false,
      responseCacheSeconds: responseCacheSeconds ?? null,
      moderation: moderation ?? null,
      createdAt: new Date(this.#clock.now()),
    });
    em.persist(key);
    return { secret, key };
  }

  list(accountId: string, filter: KeyFilter, page: KeyPageRequest): Promise<KeyPage> {
    return mapDatabaseErrors(() => findKeyPage(this.#database.em(), accountId, filter, page));
  }

  count(accountId: string, filter: KeyFilter): Promise<number> {
    return mapDatabaseErrors(() => countKeys(this.#database.em(), accountId, filter));
  }

  /** @throws SluiceError not_found */
  get(accountId: string, keyId: string): Promise<ApiKey> {
    return mapDatabaseErrors(() => this.#find(this.#database.em(), accountId, keyId));
  }

  /** A key's expiry in milliseconds since the epoch; null for none. @throws SluiceError not_found */
  async expiryOf({ accountId, id }: Pick<KeyRecord, 'accountId' | 'id'>): Promise<number | null> {
    return (await this.get(accountId, id)).expiresAt?.getTime() ?? null;
  }

  /** The account's keys among these ids. */
  byIds(accountId: string, keyIds: readonly string[]): Promise<ApiKey[]> {
    const id = { $in: keyIds.filter(isUuid) };
    return mapDatabaseErrors(() => this.#database.em().find(ApiKey, { account: accountId, id }));
  }

  /**
   * Absent members are unchanged; null removes a setting.
   * @throws SluiceError bad_user_input | not_found | unknown_model_name | unlisted_model_name, and what `along` throws
   */
  async update(accountId: string, keyId: string, input: KeyChange, along: AlongWithKey = nothing): Promise<ApiKey> {
    const given = parseInput(keyChangeSchema, input);
    const change = parseInput(keyChangeSchema, await this.#checkModels(accountId, given, given, keyId));
    requireFuture(change.expiresAt, this.#clock.now());
    const apply = (key: ApiKey): void => {
      if (key.revokedAt !== null) throw notFound();
      applyChange(change, key);
    };
    return this.#change(accountId, keyId, apply, along);
  }

  /**
   * Replaces a key's secret; the new one is returned only here. The previous secret remains valid for the overlap, a day by
   * default; one from an earlier rotation is revoked.
   * @param by the key that requests it: of itself, only its current secret may; null for a member
   * @throws SluiceError not_found | bad_user_input | credential_ends
   */
  async rotate(
    accountId: string,
    keyId: string,
    input: KeyRotation = {},
    by: Pick<KeyRecord, 'id' | 'secretId'> | null = null,
  ): Promise<{ secret: string; key: ApiKey }> {
    const { overlapSeconds } = parseInput(rotationSchema, input);
    const secret = generateSecret();
    const key = await this.#change(accountId, keyId, (found) => {
      if (found.revokedAt !== null) throw notFound();
      const now = this.#clock.now();
      if (found.expiresAt !== null && found.expiresAt.getTime() <= now)
        throw new SluiceError('bad_user_input', { param: 'id', values: { reason: 'id: this key has expired' } });
      // Another process may have rotated it just now.
      const isOwn = by?.id === keyId && by.secretId !== undefined;
      if (isOwn && found.secretHmac !== null && secretIdOf(found.secretHmac) !== by.secretId)
        throw new SluiceError('credential_ends');
      found.previousSecretHmac = found.secretHmac;
      found.previousSecretExpiresAt = new Date(now + (overlapSeconds ?? DEFAULT_OVERLAP_SECONDS) * 1_000);
      found.secretHmac = this.#pepper.secretHmac(secret);
      found.pepperVersion = this.#pepper.currentVersion;
      found.hint = maskSecret(secret);
    });
    return { secret, key };
  }

  /** Rejects the key in this process once this returns. A second call has no effect. @throws SluiceError not_found */
  async revoke(accountId: string, keyId: string): Promise<ApiKey> {
    const key = await this.#change(accountId, keyId, (found) => {
      found.revokedAt ??= new Date(this.#clock.now());
    });
    this.#directory.revoked(keyId);
    return key;
  }

  /**
   * Revokes all keys of an account in the caller's unit of work.
   * @returns applies the revocation in this process, to be called after commit
   */
  async revokeAll(em: EntityManager, accountId: string): Promise<() => void> {
    const where = { account: accountId, kind: 'user' as const, revokedAt: null };
    const keys = await em.find(ApiKey, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    for (const key of keys) key.revokedAt = new Date(this.#clock.now());
    await em.flush();
    for (const { id } of keys) await em.execute(CHANGED, [id]);
    return () => {
      for (const { id } of keys) {
        this.#announce({ id, revoked: true });
        this.#directory.revoked(id);
      }
    };
  }

  /**
   * @param input returned with the spellings that are stored
   * @param keyId the changed key: names that it already contains are not checked again
   */
  async #checkModels<Input extends KeyChange | NewKey>(
    accountId: string,
    input: Input,
    parsed: z.output<typeof keyChangeSchema>,
    keyId: string | null,
  ): Promise<Input> {
    const names = modelNamesOf(parsed);
    if (this.#models === null || names.length === 0) return input;
    const held = keyId === null ? new Set<string>() : storedModelNames(await this.get(accountId, keyId));
    const saveAnyway = parsed.saveAnyway === true;
    return withModelNames(input, await this.#models.check(accountId, names, { held, saveAnyway }));
  }

  async #requireRoom(em: EntityManager, { id: account, plan: planId }: Account): Promise<void> {
    const plan = this.#plans?.().of(planId);
    if (plan === undefined || plan.maxApiKeys === Infinity) return;
    if ((await em.count(ApiKey, { account, kind: 'user', revokedAt: null })) < plan.maxApiKeys) return;
    throw new SluiceError('too_many_api_keys', { values: { plan: plan.name, limit: plan.maxApiKeys } });
  }

  async #change(
    accountId: string,
    keyId: string,
    change: (key: ApiKey) => void,
    along: AlongWithKey = nothing,
  ): Promise<ApiKey> {
    try {
      const changed = await mapDatabaseErrors(() =>
        this.#database.em().transactional(async (em) => {
          // Serializes concurrent rotations.
          const key = await this.#find(em, accountId, keyId, LockMode.PESSIMISTIC_WRITE);
          change(key);
          await em.flush();
          await along(em, key);
          await em.execute(CHANGED, [keyId]);
          return key;
        }),
      );
      this.#announce({ id: keyId, revoked: changed.revokedAt !== null });
      return changed;
    } finally {
      // Also after an error: the change may have been committed.
      this.#directory.evict(keyId);
    }
  }

  async #find(em: EntityManager, accountId: string, keyId: string, lockMode?: LockMode): Promise<ApiKey> {
    const where = { id: keyId, account: accountId, kind: 'user' as const };
    const key = isUuid(keyId) ? await em.findOne(ApiKey, where, lockMode === undefined ? {} : { lockMode }) : null;
    if (key === null) throw notFound();
    return key;
  }
}

function notFound(what = 'API key'): SluiceError {
  return new SluiceError('not_found', { values: { what } });
}
