const MAX_DELAY_MS = 3_600_000;

/**
 * The delay before the next attempt: it doubles with each consecutive failure up to an hour. Half of it is random, so that
 * webhooks that failed together are not retried together.
 * @param failures consecutive, from 1
 * @param random from 0 to 1
 */
export function retryDelayMs(failures: number, firstMs: number, random: number = Math.random()): number {
  const maxMs = Math.min(MAX_DELAY_MS, firstMs * 2 ** (failures - 1));
  return Math.round(maxMs / 2 + (maxMs / 2) * random);
}
