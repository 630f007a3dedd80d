import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { recordAudit } from '../../database/audit/record.ts';
import type { Database } from '../../database/database.ts';
import { AccessToken, User, type ApiKey } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { pageOf, type Page, type PageRequest } from '../page-by-creation.ts';
import { isUuid } from '../uuid.ts';
import type { AccessTokenSigner } from './secrets/access-token.ts';
import { parseInput } from '../parse-input.ts';
import { newTokenSchema, type NewToken } from './key-input.ts';
import type { KeysService } from './keys.service.ts';
import { endOfSecret, secretIdOf } from './secrets/secret-id.ts';

const DEFAULT_SECONDS = 900;

export interface CreatedToken {
  readonly token: string;
  readonly row: AccessToken;
}

/** The creator of a token. */
export interface TokenCreator {
  /** The member that its spending counts for; null if unknown. */
  readonly userId: string | null;
  /** Null for a signed-in member. */
  readonly key: Pick<KeyRecord, 'id' | 'secretId' | 'expiresAt'> | null;
}

const nobody: TokenCreator = { userId: null, key: null };

/**
 * Creates tokens for browsers, where keys do not belong. A token runs as its key and expires with it or earlier, at the latest
 * with the secret that created it. Another account's key or token is not found. Every method also throws SluiceError
 * database_unavailable.
 */
export class AccessTokensService {
  readonly #database: Database;
  readonly #keys: Pick<KeysService, 'get'>;
  readonly #signer: AccessTokenSigner;
  readonly #revoked: (tokenId: string) => void;
  readonly #clock: Clock;

  /** @param revoked announces a revoked token to this process and others */
  constructor(
    database: Database,
    keys: Pick<KeysService, 'get'>,
    signer: AccessTokenSigner,
    revoked: (tokenId: string) => void,
    clock: Clock = systemClock,
  ) {
    this.#database = database;
    this.#keys = keys;
    this.#signer = signer;
    this.#revoked = revoked;
    this.#clock = clock;
  }

  /**
   * Valid for 15 minutes by default.
   * @throws SluiceError not_found | bad_user_input if the key lacks a scope or has expired
   */
  async create(accountId: string, keyId: string, input: NewToken, by: TokenCreator = nobody): Promise<CreatedToken> {
    const { scopes, expiresInSeconds } = parseInput(newTokenSchema, input);
    const key = await this.#keys.get(accountId, keyId);
    if (key.revokedAt !== null) throw notFound('API key');
    const lacking = scopes.find((scope) => !key.scopes.includes(scope));
    if (lacking !== undefined) throw badInput('scopes', `the key lacks the scope ${lacking}`);
    const now = this.#clock.now();
    const keyEnds = key.expiresAt?.getTime() ?? Infinity;
    if (keyEnds <= now) throw badInput('apiKeyId', 'this key has expired');
    const { key: byKey } = by;
    const creator = byKey === null || byKey.id === keyId ? null : { keyId: byKey.id, secretId: byKey.secretId ?? '' };
    const secretId =
      (byKey?.id === keyId && byKey.secretId) || (key.secretHmac === null ? '' : secretIdOf(key.secretHmac));
    const secretEnds = endOfSecret(key, secretId);
    if (secretEnds === null) throw badInput('apiKeyId', 'the secret that requests it was replaced');
    const asked = now + (expiresInSeconds ?? DEFAULT_SECONDS) * 1_000;
    const expiresAt = Math.min(asked, secretEnds, byKey?.expiresAt ?? Infinity);
    const claimed = new Set(scopes);
    const row = await this.#store(key, by.userId, [...claimed], new Date(expiresAt));
    return {
      row,
      token: this.#signer.sign({ id: row.id, keyId: key.id, scopes: claimed, expiresAt, secretId, creator }),
    };
  }

  /** Valid tokens of one key or of all, newest first. @throws SluiceError not_found */
  async list(accountId: string, keyId: string | null, page: PageRequest): Promise<Page<AccessToken>> {
    const of = keyId === null ? {} : { id: (await this.#keys.get(accountId, keyId)).id };
    const live = { ...this.#live(accountId), apiKey: { ...of, revokedAt: null } };
    return mapDatabaseErrors(() =>
      pageOf(
        page,
        (conditions, options) => this.#database.em().find(AccessToken, { $and: [live, ...conditions] }, options),
        true,
      ),
    );
  }

  /** The account's valid tokens among these ids. */
  byIds(accountId: string, ids: readonly string[]): Promise<AccessToken[]> {
    const id = { $in: ids.filter(isUuid) };
    return mapDatabaseErrors(() => this.#database.em().find(AccessToken, { ...this.#live(accountId), id }));
  }

  /**
   * Rejects the token in this process once this returns, and cancels its running requests.
   * @throws SluiceError not_found, also for an expired token
   */
  async revoke(accountId: string, tokenId: string): Promise<void> {
    if (!isUuid(tokenId)) throw notFound('access token');
    await mapDatabaseErrors(() =>
      this.#database.em().transactional(async (em) => {
        const now = new Date(this.#clock.now());
        const live = { ...this.#live(accountId), id: tokenId };
        const token = await em.findOne(AccessToken, live, { lockMode: LockMode.PESSIMISTIC_WRITE });
        if (token === null) throw notFound('access token');
        await em.populate(token, ['apiKey']);
        token.revokedAt = now;
        recordTokenChange(em, 'access_token.revoked', token.apiKey, [['revokedAt', null, now.toISOString()]]);
      }),
    );
    this.#revoked(tokenId);
  }

  #live(accountId: string) {
    return { account: accountId, revokedAt: null, expiresAt: { $gt: new Date(this.#clock.now()) } };
  }

  #store(key: ApiKey, userId: string | null, scopes: string[], expiresAt: Date): Promise<AccessToken> {
    return mapDatabaseErrors(async () => {
      const em = this.#database.em();
      const token = em.create(AccessToken, {
        account: key.account,
        apiKey: key,
        scopes,
        createdBy: userId === null ? null : em.getReference(User, userId),
        createdAt: new Date(this.#clock.now()),
        expiresAt,
      });
      recordTokenChange(em, 'access_token.created', key, [
        ['scopes', null, scopes],
        ['expiresAt', null, expiresAt.toISOString()],
      ]);
      await em.persist(token).flush();
      return token;
    });
  }
}

type Change = readonly [field: string, before: null, after: string | string[]];

function recordTokenChange(em: EntityManager, action: string, key: ApiKey, changes: readonly Change[]): void {
  recordAudit(em, {
    accountId: key.account.id,
    action,
    target: { type: 'api_key', id: key.id, label: key.name },
    changes: changes.map(([field, before, after]) => ({ field, before, after })),
  });
}

function badInput(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason: `${param}: ${reason}` } });
}

function notFound(what: string): SluiceError {
  return new SluiceError('not_found', { values: { what } });
}
