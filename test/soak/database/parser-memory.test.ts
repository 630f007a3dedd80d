import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** V8 would take 600 MB to optimise the parser, and 40 MB for the largest function beside it. */
const MAX_BYTES = 100_000_000;
const MIN_OPTIMISED = 10;
const optimisations = /using TurboFan, took \d+ ms and (\d+)/g;

test('of the embedded database all but the SQL parser is optimised, also after a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-parser-'));
  try {
    for (const [start, bytes] of [
      ['of creation', await optimisedOn(folder)],
      ['after it', await optimisedOn(folder)],
    ] as const) {
      expect(bytes.length, start).toBeGreaterThan(MIN_OPTIMISED);
      expect(Math.max(...bytes), start).toBeLessThan(MAX_BYTES);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** @returns the memory that V8 took to optimise each function, in bytes */
async function optimisedOn(folder: string): Promise<readonly number[]> {
  const child = fileURLToPath(new URL('parse-statements.ts', import.meta.url));
  // V8 optimises at once what it would optimise in the background, and prints what it compiles.
  const flags = ['--wasm-sync-tier-up', '--trace-wasm-compilation-times'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, child, folder], {
    maxBuffer: 64 * 1024 ** 2,
  });
  return [...stdout.matchAll(optimisations)].map(([, bytes]) => Number(bytes));
}
