import { createHmac } from 'node:crypto';
import { deriveKey, DerivedKeys } from '../../secrets/derived-keys.ts';
import type { MasterKeySource } from '../../secrets/master-keys.ts';

/** Of an HMAC-SHA256 in base64url. */
const HASH = /.{43}/g;

/**
 * Fingerprints of requests. They are keyed, so that files on disk reveal nothing about a short prompt: one hash for each known
 * master key, because the claim may have been made under another one.
 */
export class Fingerprints {
  readonly #keys: DerivedKeys;

  constructor(masterKeys: MasterKeySource) {
    this.#keys = new DerivedKeys(masterKeys, ({ masterKey }) =>
      deriveKey(masterKey, '', 'sluice/idempotency-fingerprints/1', 32),
    );
  }

  of(digest: Buffer): string {
    return this.#keys.all.map(({ bytes }) => createHmac('sha256', bytes).update(digest).digest('base64url')).join('');
  }
}

/** Whether two fingerprints have a hash under the same master key in common. */
export function isSameRequest(one: string, other: string): boolean {
  if (one === other) return true;
  const hashes = new Set(other.match(HASH));
  return (one.match(HASH) ?? []).some((hash) => hashes.has(hash));
}
