import type { ApiKey } from '../../database/entities/api-key.entity.ts';

export const DAY_MS = 86_400_000;
/** How many days before a key expires it is told of; the last first. */
export const warnedDays = [1, 7] as const;
const SOON_MS = 7 * DAY_MS;

/** Whether a key that works now will not in a week. */
export function expiresSoon({ expiresAt, revokedAt }: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: number): boolean {
  if (expiresAt === null || revokedAt !== null) return false;
  const left = expiresAt.getTime() - now;
  return left > 0 && left <= SOON_MS;
}
