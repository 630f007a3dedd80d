import { expect, test } from 'vitest';
import type { KeyRecord } from '../../../../src/gateway/keys/key-directory.ts';
import { KeyCache } from '../../../../src/services/keys/directory/key-cache.ts';
import { key } from '../../../harness/gateway.ts';

const DIGEST = 'digest';

/** More than pass between the end of a read and that of its callers. */
const microtasks = Array.from({ length: 20 }, (_, count) => count);

test.each(microtasks)('a key that is revoked %i microtasks after it was read is not found again', async (count) => {
  const cache = new KeyCache();
  const record = { ...key };
  let stored: KeyRecord | null = record;
  const row = Promise.withResolvers<KeyRecord | null>();
  const find = (read: () => Promise<KeyRecord | null>): Promise<KeyRecord> =>
    cache.readShared(DIGEST, read, (found) => {
      if (found === null) throw new Error('revoked');
      cache.addKey(DIGEST, found);
      return found;
    });
  let reads = 0;
  const first = find(() => (++reads === 1 ? row.promise : Promise.resolve(stored)));
  const settled = Promise.allSettled([first]);
  row.resolve(record);
  for (let passed = 0; passed < count; passed++) await Promise.resolve();
  stored = null;
  cache.evict(record.id);
  await expect(find(async () => stored)).rejects.toThrow('revoked');
  await settled;
  expect(cache.keys.size).toBe(0);
});

test('concurrent calls share one read, and a failed read is not shared with later calls', async () => {
  const cache = new KeyCache();
  const record = { ...key };
  let reads = 0;
  const find = (read: () => Promise<KeyRecord>): Promise<KeyRecord> => cache.readShared(DIGEST, read, (row) => row);
  const failing = async (): Promise<KeyRecord> => {
    reads++;
    throw new Error('no database');
  };
  const failed = await Promise.allSettled([find(failing), find(failing)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(reads).toBe(1);
  expect(await find(async () => record)).toBe(record);
});
