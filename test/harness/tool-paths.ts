import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where the machine has a program that tests use; null where it has none. */
export const chromiumPath = firstOf([
  process.env.SLUICE_TEST_CHROMIUM,
  // Without windows of its own, it takes a sixth less of the browser lane's time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]);

export const redisPath = firstOf(['/usr/bin/redis-server', '/usr/bin/valkey-server']);

/** Of the Python packages, or of the machine. */
export const seaweedPath = firstOf([
  process.env.SLUICE_TEST_PYTHON && join(process.env.SLUICE_TEST_PYTHON, '..', 'weed'),
  '.venv/bin/weed',
  '/usr/local/bin/weed',
  '/usr/bin/weed',
]);

export const pgBouncerPath = firstOf(['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer']);

export const hasFfmpeg = isOnPath('ffmpeg') && isOnPath('ffprobe');
export const hasCurl = isOnPath('curl');
export const hasSystemd = isOnPath('systemd-analyze');

/** Whether tests are skipped where their program is missing. Under CI they run, and fail. */
export const mayBeMissing = process.env.CI !== 'true';

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, program)));
}

function firstOf(places: readonly (string | undefined)[]): string | null {
  return places.find((place) => place !== undefined && existsSync(place)) ?? null;
}
