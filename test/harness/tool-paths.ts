import { existsSync } from 'node:fs';

/** Where the machine has a program that tests use; null where it has none. */
export const chromiumPath = firstOf([
  process.env.SLUICE_TEST_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]);

export const redisPath = firstOf(['/usr/bin/redis-server', '/usr/bin/valkey-server']);

function firstOf(places: readonly (string | undefined)[]): string | null {
  return places.find((place) => place !== undefined && existsSync(place)) ?? null;
}
