import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** V8 would take 600 MB to optimise the parser. The creation runs a second engine. */
const MAX_MEGABYTES = { created: 750, opened: 400 };

test('the SQL parser of the embedded database is not optimised, also after a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-parser-'));
  try {
    expect(await maxMegabytes(folder)).toBeLessThan(MAX_MEGABYTES.created);
    expect(await maxMegabytes(folder)).toBeLessThan(MAX_MEGABYTES.opened);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

async function maxMegabytes(folder: string): Promise<number> {
  const child = fileURLToPath(new URL('parse-statements.ts', import.meta.url));
  // V8 optimises at once what it would optimise in the background.
  const { stdout } = await promisify(execFile)(process.execPath, ['--wasm-sync-tier-up', child, folder]);
  return Number(stdout);
}
