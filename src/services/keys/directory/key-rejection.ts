import type { Clock } from '../../../calendar/clock.ts';
import type { ApiKey } from '../../../database/entities/api-key.entity.ts';
import { SluiceError, type RefusedKey } from '../../../errors/index.ts';
import type { KeyRecord } from '../../../gateway/keys/key-directory.ts';
import { accountDeleted } from '../../authorization/authorization.ts';
import { setBounded } from '../../bounded-map.ts';
import { maskSecret } from '../secrets/key-format.ts';

const MAX_REJECTED = 10_000;
const UNKNOWN_TTL_MS = 10_000;
/** How long another process may still reject the keys of a restored account. */
const DELETED_TTL_MS = 1_000;

interface DeletedAccount {
  readonly accountId: string;
  readonly erasedAfter: Date;
  /** By the clock's `monotonic`. */
  readonly until: number;
}

/** Rejected secrets by their digests, cached for a while so that requests with them do not each cause a query. */
export class RejectedSecrets {
  readonly #clock: Clock;
  readonly #unknown = new Map<string, { readonly until: number; readonly key: RefusedKey | undefined }>();
  readonly #deleted = new Map<string, DeletedAccount>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws SluiceError invalid_api_key | account_deleted if the secret was rejected recently */
  check(digest: string, secret: string): void {
    const now = this.#clock.monotonic();
    const unknown = this.#unknown.get(digest);
    if (unknown !== undefined && unknown.until > now) throw invalidKey(secret, unknown.key);
    const deleted = this.#deleted.get(digest);
    if (deleted !== undefined && deleted.until > now) throw accountDeleted(deleted.erasedAfter);
  }

  /** @param row of a revoked key */
  addUnknown(digest: string, secret: string, row?: ApiKey): SluiceError {
    const key = row && refusedKeyOf(row);
    setBounded(this.#unknown, MAX_REJECTED, digest, { until: this.#clock.monotonic() + UNKNOWN_TTL_MS, key });
    return invalidKey(secret, key);
  }

  /** @throws SluiceError account_deleted */
  requireNotDeleted(digest: string, { account: { id: accountId, erasedAfter } }: ApiKey): void {
    if (erasedAfter === null) return;
    const until = this.#clock.monotonic() + DELETED_TTL_MS;
    setBounded(this.#deleted, MAX_REJECTED, digest, { accountId, erasedAfter, until });
    throw accountDeleted(erasedAfter);
  }

  /** Looks up the secrets of a deleted account again. */
  forgetAccount(accountId: string): void {
    for (const [digest, deleted] of this.#deleted) if (deleted.accountId === accountId) this.#deleted.delete(digest);
  }
}

export function invalidKey(secret: string, refusedKey?: RefusedKey): SluiceError {
  return new SluiceError('invalid_api_key', { values: { key: maskSecret(secret) }, refusedKey });
}

export function expiredKey(expiresAt: number, refusedKey: KeyRecord): SluiceError {
  return new SluiceError('expired_api_key', { values: { expiredAt: new Date(expiresAt).toISOString() }, refusedKey });
}

export function expiredToken(expiresAt: number, refusedKey?: KeyRecord): SluiceError {
  return new SluiceError('expired_access_token', {
    values: { expiredAt: new Date(expiresAt).toISOString() },
    refusedKey,
  });
}

function refusedKeyOf({ id, account, createdBy }: ApiKey): RefusedKey {
  return { id, accountId: account.id, memberId: createdBy?.id ?? null, timeZone: account.timeZone };
}
