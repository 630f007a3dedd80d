import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { publicPartId, publicUploadId } from '../../../src/services/files/file-id.ts';
import { FilesService } from '../../../src/services/files/files.service.ts';
import { UploadsService } from '../../../src/services/files/uploads.service.ts';
import { BlobStore } from '../../../src/storage/blob-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { newAccount } from '../responses/given-response.ts';

const HOUR_MS = 3_600_000;

describeWithDatabase('uploads', (databases) => {
  let database: Database;
  let folder: string;
  const apiKeyId = randomUUID();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-uploads-'));
    database = await databases.open();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const filesOnDisk = (): number =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;

  async function given() {
    const accountId = await newAccount(database);
    const blobs = new BlobStore(database, folder);
    const clock = new FakeClock();
    clock.advance(Date.now() - clock.now());
    const files = new FilesService({ database, blobs, maxAccountBytes: 100, clock });
    const uploads = new UploadsService({ database, blobs, files, clock });
    const reach = { accountId, apiKeyId };
    const create = async (bytes: number): Promise<string> =>
      publicUploadId(
        (await uploads.create({ ...reach, filename: 'a', purpose: 'evals', bytes, fileSeconds: null })).id,
      );
    return { blobs, clock, files, uploads, reach, create };
  }

  it('share the space of the account with its files', async () => {
    const { files, uploads, reach, create } = await given();
    const before = filesOnDisk();
    await expect(create(101)).rejects.toMatchObject({ code: 'file_storage_full' });
    const id = await create(90);
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => uploads.addPart(reach, id, Buffer.alloc(30))),
    );
    const parts = results.flatMap((result) => (result.status === 'fulfilled' ? [publicPartId(result.value.id)] : []));
    expect(parts).toHaveLength(3);
    expect(filesOnDisk()).toBe(before + 3);
    const file = { ...reach, filename: 'b', purpose: 'evals', lifetimeSeconds: null } as const;
    await expect(files.create(file, Buffer.alloc(11))).rejects.toMatchObject({ code: 'file_storage_full' });
    // The parts need the space that the file then has.
    const { file: stored } = await uploads.complete(reach, id, { partIds: parts, md5: null });
    expect(stored.bytes).toBe(90);
    expect(filesOnDisk()).toBe(before + 1);
    await files.requireSpace(reach.accountId, 10);
    await expect(files.requireSpace(reach.accountId, 11)).rejects.toMatchObject({ code: 'file_storage_full' });
  });

  it('keep nothing of a cancelled one, nor of a failed completion', async () => {
    const { uploads, reach, create } = await given();
    const before = filesOnDisk();
    const id = await create(10);
    const part = publicPartId((await uploads.addPart(reach, id, Buffer.alloc(10))).id);
    await expect(uploads.complete(reach, id, { partIds: [part], md5: '0'.repeat(32) })).rejects.toMatchObject({
      param: 'md5',
    });
    expect(filesOnDisk()).toBe(before + 1);
    await uploads.cancel(reach, id);
    expect(filesOnDisk()).toBe(before);
  });

  it('are completed once, however many complete them at the same time', async () => {
    const { uploads, reach, create } = await given();
    for (let round = 0; round < 8; round++) {
      const id = await create(2);
      const partIds: string[] = [];
      for (const byte of [1, 2]) partIds.push(publicPartId((await uploads.addPart(reach, id, Buffer.of(byte))).id));
      const results = await Promise.allSettled(
        Array.from({ length: 4 }, () => uploads.complete(reach, id, { partIds, md5: null })),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results)
        if (result.status === 'rejected')
          expect(result.reason).toMatchObject({ code: 'upload_not_pending', status: 400 });
    }
  });

  it('are told that they are completed where another completion removes the parts that are read', async () => {
    const { uploads, reach, create } = await given();
    const id = await create(1);
    const partIds = [publicPartId((await uploads.addPart(reach, id, Buffer.of(1))).id)];
    const em = database.em.bind(database);
    let finds = 0;
    // The other completion is done after this one has found the upload pending.
    const slow = new UploadsService({
      database: Object.assign(Object.create(database), {
        em: () => {
          const real = em();
          const find = real.find.bind(real);
          return Object.assign(real, {
            find: async (...given: Parameters<typeof find>) => {
              if (finds++ === 0) await uploads.complete(reach, id, { partIds, md5: null });
              return find(...given);
            },
          });
        },
      }),
      blobs: new BlobStore(database, folder),
      files: new FilesService({ database, blobs: new BlobStore(database, folder), maxAccountBytes: 100 }),
    });
    await expect(slow.complete(reach, id, { partIds, md5: null })).rejects.toMatchObject({
      code: 'upload_not_pending',
      message: expect.stringContaining('completed'),
    });
    expect(finds).toBeGreaterThan(0);
  });

  it('expire after an hour, and are removed later', async () => {
    const { blobs, clock, uploads, reach, create } = await given();
    const before = filesOnDisk();
    const id = await create(10);
    await uploads.addPart(reach, id, Buffer.alloc(10));
    clock.advance(HOUR_MS);
    await expect(uploads.addPart(reach, id, Buffer.alloc(10))).rejects.toMatchObject({ code: 'upload_not_pending' });
    await uploads.removeExpired();
    await expect(uploads.cancel(reach, id)).rejects.toMatchObject({ code: 'upload_not_pending' });
    clock.advance(HOUR_MS);
    await uploads.removeExpired();
    await blobs.sweep(new Date(clock.now()));
    await expect(uploads.cancel(reach, id)).rejects.toMatchObject({ code: 'not_found' });
    expect(filesOnDisk()).toBe(before);
  });
});
