import { systemClock, type Clock } from '../../calendar/clock.ts';
import { recordAudit } from '../../database/audit/record.ts';
import type { Database } from '../../database/database.ts';
import type { ApiKey } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord, Scope } from '../../gateway/key-directory.ts';
import { orUnavailable } from '../database-availability.ts';
import type { AccessTokenSigner } from './access-token.ts';
import { newTokenSchema, parseInput, type NewToken } from './key-input.ts';
import type { KeysService } from './keys.service.ts';
import { endOfSecret, secretIdOf } from './secret-id.ts';

const USUAL_SECONDS = 900;

export interface CreatedToken {
  readonly token: string;
  readonly expiresAt: Date;
  readonly scopes: readonly Scope[];
}

/** Makes tokens for where a key does not belong: browsers. They run as their key, and end with it or before, with the
 * secret that made them at the latest. */
export class AccessTokensService {
  readonly #database: Database;
  readonly #keys: Pick<KeysService, 'get'>;
  readonly #signer: AccessTokenSigner;
  readonly #clock: Clock;

  constructor(
    database: Database,
    keys: Pick<KeysService, 'get'>,
    signer: AccessTokenSigner,
    clock: Clock = systemClock,
  ) {
    this.#database = database;
    this.#keys = keys;
    this.#signer = signer;
    this.#clock = clock;
  }

  /**
   * For a quarter of an hour where no time is named.
   * @param by the key that makes it; null for a member
   * @throws SluiceError not_found | bad_user_input where the key lacks a scope or has expired | database_unavailable
   */
  async create(
    accountId: string,
    keyId: string,
    input: NewToken,
    by: Pick<KeyRecord, 'id' | 'secretId' | 'expiresAt'> | null = null,
  ): Promise<CreatedToken> {
    const { scopes, expiresInSeconds } = parseInput(newTokenSchema, input);
    const key = await this.#keys.get(accountId, keyId);
    if (key.revokedAt !== null) throw new SluiceError('not_found', { values: { what: 'API key' } });
    const lacking = scopes.find((scope) => !key.scopes.includes(scope));
    if (lacking !== undefined) throw badInput('scopes', `the key lacks the scope ${lacking}`);
    const now = this.#clock.now();
    const keyEnds = key.expiresAt?.getTime() ?? Infinity;
    if (keyEnds <= now) throw badInput('apiKeyId', 'this key has expired');
    const maker = by === null || by.id === keyId ? null : { keyId: by.id, secretId: by.secretId ?? '' };
    const secretId = (by?.id === keyId && by.secretId) || (key.secretHmac === null ? '' : secretIdOf(key.secretHmac));
    const secretEnds = endOfSecret(key, secretId);
    if (secretEnds === null) throw badInput('apiKeyId', 'the secret that asks for it was replaced');
    const asked = now + (expiresInSeconds ?? USUAL_SECONDS) * 1_000;
    const expiresAt = Math.min(asked, secretEnds, by?.expiresAt ?? Infinity);
    const claimed = new Set(scopes);
    await this.#tell(key, [...claimed], new Date(expiresAt));
    return {
      token: this.#signer.sign({ keyId: key.id, scopes: claimed, expiresAt, secretId, maker }),
      expiresAt: new Date(expiresAt),
      scopes: [...claimed],
    };
  }

  /** Nothing of a token is stored, but that it was made. */
  #tell(key: ApiKey, scopes: readonly Scope[], expiresAt: Date): Promise<void> {
    const em = this.#database.em();
    recordAudit(em, {
      accountId: key.account.id,
      action: 'access_token.created',
      target: { type: 'api_key', id: key.id, label: key.name },
      changes: [
        { field: 'scopes', before: null, after: [...scopes] },
        { field: 'expiresAt', before: null, after: expiresAt.toISOString() },
      ],
    });
    return orUnavailable(() => em.flush());
  }
}

function badInput(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason: `${param}: ${reason}` } });
}
