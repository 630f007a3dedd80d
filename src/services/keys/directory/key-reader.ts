import type { Clock } from '../../../calendar/clock.ts';
import type { Database } from '../../../database/database.ts';
import { AccessToken } from '../../../database/entities/access-token.entity.ts';
import { ApiKey } from '../../../database/entities/api-key.entity.ts';
import { SluiceError } from '../../../errors/index.ts';
import type { KeyRecord } from '../../../gateway/keys/key-directory.ts';
import { accountDeleted } from '../../authorization/authorization.ts';
import { databaseUnavailable } from '../../database-availability.ts';
import type { KeyCache } from './key-cache.ts';
import { KeyLookup, type FoundKey } from './key-lookup.ts';
import type { KeyRecords } from '../key-records.ts';
import { expiredToken, invalidKey, RejectedSecrets } from './key-rejection.ts';
import type { AccessTokenSigner, TokenClaims } from '../secrets/access-token.ts';
import { verifyChecksum } from '../secrets/key-format.ts';
import type { KeyPepper } from '../secrets/pepper.ts';
import { endOfSecret, secretIdOf } from '../secrets/secret-id.ts';

export interface KeyReaderDependencies {
  readonly database: Database;
  readonly pepper: KeyPepper;
  /** Reads access tokens; without it none are accepted. */
  readonly tokens?: AccessTokenSigner;
}

/** The rows that an access token depends on; null for those that do not exist or are revoked. */
interface TokenRows {
  readonly key: ApiKey | null;
  /** The key that created it, if another one did. */
  readonly creatorKey: ApiKey | null;
  readonly token: AccessToken | null;
}

/** A key that created something, and whom its spending counts for. */
export interface StoredKey {
  readonly id: string;
  readonly accountId: string;
  readonly memberId: string | null;
}

/** Reads keys and access tokens that are not in the cache, and adds them to it. */
export class KeyReader {
  readonly #dependencies: KeyReaderDependencies;
  readonly #clock: Clock;
  readonly #records: KeyRecords;
  readonly #cache: KeyCache;
  readonly #lookup: KeyLookup;
  readonly #rejected: RejectedSecrets;

  constructor(dependencies: KeyReaderDependencies, clock: Clock, records: KeyRecords, cache: KeyCache) {
    this.#dependencies = dependencies;
    this.#clock = clock;
    this.#records = records;
    this.#cache = cache;
    this.#lookup = new KeyLookup(dependencies.database, dependencies.pepper);
    this.#rejected = new RejectedSecrets(clock);
  }

  /** @throws SluiceError invalid_api_key | account_deleted | database_unavailable */
  key(digest: string, secret: string): Promise<KeyRecord> {
    if (!verifyChecksum(secret)) throw invalidKey(secret);
    this.#rejected.check(digest, secret);
    return this.#cache.readShared(
      digest,
      () => this.#lookup.find(secret),
      (found) => {
        if (found === null || found.row.revokedAt !== null) throw this.#rejected.addUnknown(digest, secret, found?.row);
        this.#rejected.requireNotDeleted(digest, found.row);
        const record = this.#recordOf(found);
        this.#cache.addKey(digest, record);
        return record;
      },
    );
  }

  /** @throws SluiceError invalid_api_key | expired_access_token | account_deleted | database_unavailable */
  token(digest: string, token: string): Promise<KeyRecord> {
    const claims = this.#dependencies.tokens?.read(token) ?? null;
    if (claims === null) throw invalidKey(token);
    if (claims.expiresAt <= this.#clock.now()) throw expiredToken(claims.expiresAt);
    this.#rejected.check(digest, token);
    return this.#cache.readShared(
      digest,
      () => this.#readTokenRows(claims),
      (rows) => {
        if (rows.key !== null) this.#rejected.requireNotDeleted(digest, rows.key);
        const record = this.#tokenRecordOf(claims, rows);
        if (record === null) throw this.#rejected.addUnknown(digest, token);
        this.#cache.addToken(digest, record);
        return record;
      },
    );
  }

  /** @throws SluiceError not_found | account_deleted | database_unavailable */
  dashboardKey(id: string, accountId: string, memberId: string | null): Promise<KeyRecord> {
    const read = () => this.#readKey({ account: accountId, kind: 'dashboard' as const, revokedAt: null });
    return this.#cache.readCurrent(read, (row) => {
      if (row === null) throw new SluiceError('not_found', { values: { what: 'account' } });
      if (row.account.erasedAfter !== null) throw accountDeleted(row.account.erasedAfter);
      const record = this.#records.of(row, { memberId, credential: 'session' });
      this.#cache.addDashboard(id, record);
      return record;
    });
  }

  /**
   * A key by its id, for a stored request that is run without its secret.
   * @throws SluiceError invalid_api_key | account_deleted | database_unavailable
   */
  async storedKey({ id, accountId, memberId }: StoredKey): Promise<KeyRecord> {
    const row = await this.#readKey({ id, account: accountId, kind: 'user' as const, revokedAt: null });
    if (row === null) throw new SluiceError('invalid_api_key', { values: { key: 'it was revoked' } });
    if (row.account.erasedAfter !== null) throw accountDeleted(row.account.erasedAfter);
    return this.#records.of(row, { memberId });
  }

  /** Looks up the secrets of a deleted account again. */
  forgetAccount(accountId: string): void {
    this.#rejected.forgetAccount(accountId);
  }

  #recordOf({ row, isPrevious }: FoundKey): KeyRecord {
    const hmac = isPrevious ? row.previousSecretHmac : row.secretHmac;
    const secretId = hmac === null ? undefined : secretIdOf(hmac);
    if (!isPrevious) return this.#records.of(row, { secretId });
    const endsAt = row.previousSecretExpiresAt?.getTime() ?? 0;
    return this.#records.of(row, { credential: 'superseded_secret', secretId, endsAt });
  }

  async #readTokenRows({ id, keyId, creator }: TokenClaims): Promise<TokenRows> {
    const read = (key: string): Promise<ApiKey | null> =>
      this.#readKey({ id: key, kind: 'user' as const, revokedAt: null });
    const reads = [read(keyId), creator === null ? null : read(creator.keyId), this.#readToken(id)] as const;
    const [key, creatorKey, token] = await Promise.all(reads);
    return { key, creatorKey, token };
  }

  /** A token expires with the secret that created it, its key's or another key's. Null if it is revoked. */
  #tokenRecordOf(claims: TokenClaims, { key, creatorKey, token }: TokenRows): KeyRecord | null {
    const { id: tokenId, secretId, creator, scopes, expiresAt } = claims;
    const ends = [endOfSecret(key, secretId), creator === null ? Infinity : endOfSecret(creatorKey, creator.secretId)];
    const endsAt = ends.reduce(earlier, expiresAt);
    if (key === null || endsAt === null || token === null) return null;
    const revokedWithIds = creator === null ? [tokenId] : [tokenId, creator.keyId];
    // Its spending counts for its creator: otherwise a member could spend another member's budget through a token of their key.
    const memberId = token.createdBy?.id ?? key.createdBy?.id ?? null;
    const terms = { memberId, credential: 'access_token' as const, secretId, tokenId, revokedWithIds, scopes, endsAt };
    return this.#records.of(key, terms);
  }

  async #readKey(where: { revokedAt: null } & Partial<Record<'id' | 'account', string>> & Pick<ApiKey, 'kind'>) {
    try {
      return await this.#dependencies.database.em().findOne(ApiKey, where, { populate: ['account'] });
    } catch (cause) {
      throw databaseUnavailable(cause);
    }
  }

  /** Null if it was revoked. */
  async #readToken(id: string): Promise<AccessToken | null> {
    try {
      return await this.#dependencies.database.em().findOne(AccessToken, { id, revokedAt: null });
    } catch (cause) {
      throw databaseUnavailable(cause);
    }
  }
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.min(one, other);
}
