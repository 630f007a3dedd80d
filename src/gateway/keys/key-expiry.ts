import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from './key-directory.ts';

/** The current expiry of a key: milliseconds since the epoch, or null for never. @throws where that cannot be read */
export type ExpiryOf = (key: KeyRecord) => Promise<number | null>;

/**
 * Finds open requests whose key has expired. The key's record may be outdated: at its expiry the current one is read,
 * since the expiry may have been changed.
 */
export class KeyExpiry {
  readonly #expiryOf: ExpiryOf | undefined;
  /** Expiries read since; `reading` while one is being read. */
  readonly #expiries = new WeakMap<KeyRecord, number | 'reading'>();

  /** @param expiryOf absent where expiries never change */
  constructor(expiryOf?: ExpiryOf) {
    this.#expiryOf = expiryOf;
  }

  /** @param now in milliseconds since the epoch */
  hasExpired(key: KeyRecord, now: number): boolean {
    if (key.expiresAt === null || now < key.expiresAt) return false;
    // The expiry of a token and of a rotated secret never changes.
    if (this.#expiryOf === undefined || (key.credential ?? 'secret') !== 'secret') return true;
    const end = this.#expiries.get(key) ?? key.expiresAt;
    if (end === EXPIRED) return true;
    if (end !== 'reading' && end <= now) this.#read(key, end, this.#expiryOf);
    return false;
  }

  #read(key: KeyRecord, before: number, expiryOf: ExpiryOf): void {
    this.#expiries.set(key, 'reading');
    expiryOf(key).then(
      (end) => this.#expiries.set(key, end !== null && end <= before ? EXPIRED : (end ?? Infinity)),
      // Without an answer the known expiry counts.
      () => this.#expiries.set(key, EXPIRED),
    );
  }
}

const EXPIRED = -Infinity;

/** The error of a request whose key has expired. */
export function expiredError({ tokenId, expiresAt }: KeyRecord): SluiceError {
  const values = { expiredAt: new Date(Number(expiresAt)).toISOString() };
  return new SluiceError(tokenId === undefined ? 'expired_api_key' : 'expired_access_token', { values });
}
