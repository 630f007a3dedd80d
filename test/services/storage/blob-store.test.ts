import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account, Blob } from '../../../src/database/entities/index.ts';
import { SluiceError } from '../../../src/errors/index.ts';
import type { BlobFiles } from '../../../src/storage/blobs/blob-files.ts';
import { BlobStore, type NewBlob } from '../../../src/storage/blob-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';

describeWithDatabase('the blob store', (databases) => {
  let database: Database;
  let folder: string;
  let blobs: BlobStore;
  let accountId: string;
  let meta: NewBlob;

  beforeAll(async () => {
    database = await databases.open();
    folder = await mkdtemp(join(tmpdir(), 'sluice-blobs-'));
    blobs = new BlobStore(database, folder);
    const em = database.em();
    const account = em.create(Account, { name: 'With files' });
    await em.persist(account).flush();
    accountId = account.id;
    meta = { accountId, contentType: 'audio/mpeg', expiresAt: null, sizeLimit: 1_000_000 };
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function filesOf(id: string): Promise<string[]> {
    return (await readdir(folder, { recursive: true })).filter((name) => name.includes(id));
  }

  test('returns stored files completely and in ranges', async () => {
    const bytes = randomBytes(123_456);
    const stored = await blobs.put(chunks(bytes), meta);
    expect(stored).toMatchObject({ accountId, contentType: 'audio/mpeg', size: bytes.length, expiresAt: null });
    expect(stored.sha256).toEqual(createHash('sha256').update(bytes).digest());

    const whole = await blobs.get(stored.id, accountId);
    expect(whole && (await buffer(whole.stream)).equals(bytes)).toBe(true);
    const linked = await blobs.getUnscoped(stored.id);
    expect(linked && (await buffer(linked.stream))).toEqual(bytes);
    const end = await blobs.getUnscoped(stored.id, (size) => ({ first: size - 10, last: size - 1 }));
    expect(end && (await buffer(end.stream))).toEqual(bytes.subarray(-10));
    const none = await blobs.getUnscoped(stored.id, () => null);
    expect(none).toMatchObject({ blob: { size: bytes.length }, first: 0, last: -1 });
    expect(none && (await buffer(none.stream))).toHaveLength(0);
    expect(await blobs.getUnscoped(randomUUID())).toBeNull();
    expect(await blobs.getUnscoped('../../etc/passwd')).toBeNull();
    const part = await blobs.get(stored.id, accountId, { first: 1_000, last: 1_999 });
    expect(part && (await buffer(part.stream)).equals(bytes.subarray(1_000, 2_000))).toBe(true);
    const rest = await blobs.get(stored.id, accountId, { first: 123_000, last: 999_999 });
    expect(rest).toMatchObject({ first: 123_000, last: 123_455 });
    rest?.stream.destroy();
    await expect(blobs.get(stored.id, accountId, { first: 123_456 })).rejects.toThrow(RangeError);
  });

  test('returns null for a file that is missing although its row exists', async () => {
    const { id } = await blobs.put(randomBytes(100), meta);
    for (const name of await filesOf(id)) await rm(join(folder, name));
    expect(await blobs.get(id, accountId)).toBeNull();
    expect(await blobs.getUnscoped(id, () => ({ first: 10, last: 20 }))).toBeNull();
  });

  test('stores an empty file', async () => {
    const { id } = await blobs.put(Buffer.alloc(0), meta);
    const open = await blobs.get(id, accountId);
    expect(open && (await buffer(open.stream))).toEqual(Buffer.alloc(0));
  });

  test('stores nothing of a file above the limit or with a failing source', async () => {
    const before = (await readdir(folder, { recursive: true })).length;
    const rows = await database.em().count(Blob);
    await expect(blobs.put(chunks(randomBytes(50_001)), { ...meta, sizeLimit: 50_000 })).rejects.toMatchObject({
      code: 'request_too_large',
    });
    await expect(blobs.put(broken(), meta)).rejects.toThrow('the upload broke off');
    await expect(blobs.put(randomBytes(10), { ...meta, accountId: randomUUID() })).rejects.toThrow();
    expect((await readdir(folder, { recursive: true })).length).toBe(before);
    expect(await database.em().count(Blob)).toBe(rows);
  });

  test("serves and deletes an account's file for that account only", async () => {
    const { id } = await blobs.put(randomBytes(10), meta);
    for (const stranger of [randomUUID(), null]) {
      expect(await blobs.get(id, stranger)).toBeNull();
      expect(await blobs.delete(id, stranger)).toBe(false);
    }
    expect(await blobs.delete(id, accountId)).toBe(true);
    expect(await blobs.get(id, accountId)).toBeNull();
    expect(await filesOf(id)).toEqual([]);
  });

  test.each(['../../etc/passwd', '..', '', 'a/b', `${randomUUID()}/..`, '%2e%2e%2f', `${randomUUID()}\u0000`])(
    'has nothing under the id %j',
    async (id) => {
      expect(await blobs.get(id, accountId)).toBeNull();
      expect(await blobs.delete(id, accountId)).toBe(false);
    },
  );

  test('does not serve an expired file, and removes it', async () => {
    const now = new Date();
    const expired = await blobs.put(randomBytes(10), { ...meta, expiresAt: new Date(now.getTime() - 1) });
    const later = await blobs.put(randomBytes(10), { ...meta, expiresAt: new Date(now.getTime() + 3_600_000) });
    expect(await blobs.get(expired.id, accountId)).toBeNull();
    expect(await blobs.getUnscoped(expired.id)).toBeNull();
    expect(await blobs.sweep(now)).toBe(1);
    expect(await filesOf(expired.id)).toEqual([]);
    expect(await filesOf(later.id)).toHaveLength(1);
  });

  test('removes all other expired files where one cannot be removed, and fails', async () => {
    const now = new Date();
    const expired = { ...meta, expiresAt: new Date(now.getTime() - 1) };
    const [one, other] = [await blobs.put(Buffer.from('one'), expired), await blobs.put(Buffer.from('other'), expired)];
    const [path = ''] = await filesOf(one.id);
    await rm(join(folder, path));
    // No file, so that it cannot be removed as one.
    await mkdir(join(folder, path));
    await expect(blobs.sweep(now)).rejects.toThrow('could not be removed');
    expect(await filesOf(other.id)).toEqual([]);
    expect(await database.em().count(Blob, { id: [one.id, other.id] })).toBe(1);
    await rm(join(folder, path), { recursive: true });
    expect(await blobs.sweep(now)).toBe(1);
  });

  describe('with a bucket that is unavailable', () => {
    let removals = 0;
    const fail = async (): Promise<never> => {
      throw new SluiceError('storage_unavailable');
    };
    const down: BlobFiles = {
      write: async () => ({ size: 1, sha256: randomBytes(32), commit: fail, discard: async () => undefined }),
      open: fail,
      sizeOf: fail,
      remove: () => {
        removals++;
        return fail();
      },
      removeAbandoned: async () => undefined,
      list: async function* () {},
    };
    const stored = (count: number, expiresAt: Date | null) => {
      const em = database.em();
      const rows = Array.from({ length: count }, () =>
        em.create(Blob, {
          account: em.getReference(Account, accountId),
          contentType: 'audio/mpeg',
          size: 1,
          sha256: randomBytes(32),
          objectKey: `media/${accountId}/${randomUUID()}`,
          expiresAt,
        }),
      );
      return em
        .persist(rows)
        .flush()
        .then(() => rows);
    };
    const store = () => new BlobStore(database, folder, { files: down, isTarget: true });

    beforeEach(async () => {
      await database.em().nativeDelete(Blob, { objectKey: { $ne: null } });
      removals = 0;
    });
    afterAll(() => database.em().nativeDelete(Blob, { objectKey: { $ne: null } }));

    test('deletes a file: it cannot be read any more, and is removed by a sweep', async () => {
      const [row] = await stored(1, null);
      const id = row?.id ?? '';
      expect(await store().delete(id, accountId)).toBe(true);
      expect(await store().get(id, accountId)).toBeNull();
      await expect(store().sweep(new Date())).rejects.toThrow('could not be removed');
      expect(removals).toBe(2);
    });

    test('does not wait for the removal of what it could not store', async () => {
      await expect(store().put(randomBytes(1), meta)).rejects.toMatchObject({ code: 'storage_unavailable' });
      expect(removals).toBe(0);
      expect(await database.em().count(Blob, { objectKey: { $ne: null }, expiresAt: { $lte: new Date() } })).toBe(1);
    });

    test('ends a sweep after some failures in a row', async () => {
      await stored(600, new Date(0));
      await expect(store().sweep(new Date())).rejects.toThrow('could not be removed');
      expect(removals).toBeGreaterThanOrEqual(100);
      expect(removals).toBeLessThan(120);
      expect(await database.em().count(Blob, { objectKey: { $ne: null } })).toBe(600);
    });
  });

  test('repairs what a killed writer left: removes partial files, retains complete ones', async () => {
    const incoming = join(folder, 'incoming');
    const longAgo = new Date(Date.now() - 48 * 3_600_000);
    const [part, young] = [randomUUID(), randomUUID()];
    const whole = await blobs.put(Buffer.from('whole'), meta);
    const [path = ''] = await filesOf(whole.id);
    await rename(join(folder, path), join(incoming, whole.id));
    await Promise.all([part, young].map((id) => writeFile(join(incoming, id), 'a part')));
    await Promise.all([part, whole.id].map((id) => utimes(join(incoming, id), longAgo, longAgo)));

    expect(await blobs.sweep(new Date())).toBe(0);
    expect(await readdir(incoming)).toEqual([young]);
    const open = await blobs.get(whole.id, accountId);
    expect(open && (await buffer(open.stream)).toString()).toBe('whole');
  });

  test('repairs all others where one incoming file cannot be removed, and fails', async () => {
    const incoming = join(folder, 'incoming');
    const longAgo = new Date(Date.now() - 48 * 3_600_000);
    const whole = await blobs.put(Buffer.from('whole'), meta);
    const [path = ''] = await filesOf(whole.id);
    await rename(join(folder, path), join(incoming, whole.id));
    const part = randomUUID();
    await writeFile(join(incoming, part), 'a part');
    // No files, so that they cannot be removed as such: the first and the last by name.
    const folders = ['0', 'z'];
    for (const name of folders) await mkdir(join(incoming, name));
    for (const name of [part, whole.id, ...folders]) await utimes(join(incoming, name), longAgo, longAgo);

    await expect(blobs.sweep(new Date())).rejects.toThrow('could not be removed');
    const left = await readdir(incoming);
    expect(left).toEqual(expect.arrayContaining(folders));
    expect(left).not.toContain(part);
    const open = await blobs.get(whole.id, accountId);
    expect(open && (await buffer(open.stream)).toString()).toBe('whole');
    for (const name of folders) await rm(join(incoming, name), { recursive: true });
    expect(await blobs.sweep(new Date())).toBe(0);
  });
});

async function* chunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007);
}

async function* broken(): AsyncGenerator<Buffer> {
  yield randomBytes(100);
  throw new Error('the upload broke off');
}
