import { SluiceError } from '../errors/index.ts';
import type { KeyRecord } from './key-directory.ts';

/** When a key ends now: milliseconds since the epoch, or null for never. @throws where that cannot be read */
export type ExpiryOf = (key: KeyRecord) => Promise<number | null>;

/**
 * Says which requests under way have outlived the key that they were let in with. Its record is of then: an end that has come is
 * read anew, since the key may have been given a later one.
 */
export class KeyExpiry {
  readonly #expiryOf: ExpiryOf | undefined;
  /** Ends that were read since; `reading` while that is asked. */
  readonly #ends = new WeakMap<KeyRecord, number | 'reading'>();

  /** @param expiryOf absent where no end is moved */
  constructor(expiryOf?: ExpiryOf) {
    this.#expiryOf = expiryOf;
  }

  /** @param now in milliseconds since the epoch */
  hasExpired(key: KeyRecord, now: number): boolean {
    if (key.expiresAt === null || now < key.expiresAt) return false;
    // The end of a token, and of a secret that was replaced, is never moved.
    if (this.#expiryOf === undefined || (key.credential ?? 'secret') !== 'secret') return true;
    const end = this.#ends.get(key) ?? key.expiresAt;
    if (end === EXPIRED) return true;
    if (end !== 'reading' && end <= now) this.#read(key, end, this.#expiryOf);
    return false;
  }

  #read(key: KeyRecord, before: number, expiryOf: ExpiryOf): void {
    this.#ends.set(key, 'reading');
    expiryOf(key).then(
      (end) => this.#ends.set(key, end !== null && end <= before ? EXPIRED : (end ?? Infinity)),
      // As far as is known nobody moved it.
      () => this.#ends.set(key, EXPIRED),
    );
  }
}

const EXPIRED = -Infinity;

/** What a caller is told whose request outlives its key. */
export function expiredError({ tokenId, expiresAt }: KeyRecord): SluiceError {
  const values = { expiredAt: new Date(Number(expiresAt)).toISOString() };
  return new SluiceError(tokenId === undefined ? 'expired_api_key' : 'expired_access_token', { values });
}
