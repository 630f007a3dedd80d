import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { compileEngine } from '../../../src/database/embedded/compile-engine.ts';
import { openEngine } from '../../../src/database/embedded/open-engine.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

test('the embedded database writes each commit to disk before it acknowledges it', async () => {
  const synced = countSyncs();
  const folder = await mkdtemp(join(tmpdir(), 'sluice-durable-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const engine = await openEngine(join(folder, 'database'), await compileEngine());
  cleanups.push(() => engine.close());
  expect((await engine.query('show fsync')).rows).toEqual([{ fsync: 'on' }]);
  await engine.query('create table counted (number integer)');

  for (let number = 1; number <= 3; number += 1) {
    const before = synced();
    await engine.query('insert into counted values ($1)', [number]);
    expect(synced()).toBeGreaterThan(before);
  }
  const before = synced();
  await engine.query('select number from counted');
  expect(synced()).toBe(before);
});

function countSyncs(): () => number {
  const original = fs.fdatasyncSync;
  let count = 0;
  fs.fdatasyncSync = (descriptor) => {
    count += 1;
    original(descriptor);
  };
  syncBuiltinESMExports();
  cleanups.push(() => {
    fs.fdatasyncSync = original;
    syncBuiltinESMExports();
  });
  return () => count;
}
