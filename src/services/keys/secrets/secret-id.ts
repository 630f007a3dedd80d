import { createHash } from 'node:crypto';
import type { ApiKey } from '../../../database/entities/api-key.entity.ts';

type Secrets = Pick<ApiKey, 'secretHmac' | 'previousSecretHmac' | 'previousSecretExpiresAt' | 'expiresAt'>;

export const SECRET_ID_BYTES = 8;

/** Distinguishes a key's secrets by 16 hex digits that reveal nothing of the secret. @param hmac as stored */
export function secretIdOf(hmac: Buffer): string {
  return createHash('sha256')
    .update('sluice/secret-id/')
    .update(hmac)
    .digest('hex')
    .slice(0, 2 * SECRET_ID_BYTES);
}

/**
 * The expiry of a secret in milliseconds since the epoch, `Infinity` for none; null if the key no longer has this secret, or
 * does not exist.
 */
export function endOfSecret(key: Secrets | null, id: string): number | null {
  if (key === null) return null;
  const keyEnds = key.expiresAt?.getTime() ?? Infinity;
  if (key.secretHmac !== null && secretIdOf(key.secretHmac) === id) return keyEnds;
  if (key.previousSecretHmac === null || secretIdOf(key.previousSecretHmac) !== id) return null;
  return Math.min(keyEnds, key.previousSecretExpiresAt?.getTime() ?? 0);
}
