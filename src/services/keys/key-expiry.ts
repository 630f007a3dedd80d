import type { ApiKey } from '../../database/entities/api-key.entity.ts';

export const DAY_MS = 86_400_000;
/** Days before a key's expiry on which a warning is sent; the last one first. */
export const warnedDays = [1, 7] as const;
const SOON_MS = 7 * DAY_MS;

/** Whether a valid key expires within a week. */
export function expiresSoon({ expiresAt, revokedAt }: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: number): boolean {
  if (expiresAt === null || revokedAt !== null) return false;
  const left = expiresAt.getTime() - now;
  return left > 0 && left <= SOON_MS;
}
