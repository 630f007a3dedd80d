import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Brings `dist` up to date, once a run: tests of the real process run what is built. */
export function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../src/cli/prepare.mjs', import.meta.url))], {
    stdio: 'inherit',
  });
}
