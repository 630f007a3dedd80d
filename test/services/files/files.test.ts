import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { FilesService } from '../../../src/services/files/files.service.ts';
import { publicFileId } from '../../../src/services/files/file-id.ts';
import type { NewFile } from '../../../src/services/files/new-file.ts';
import { BlobStore } from '../../../src/storage/blob-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { newAccount } from '../responses/given-response.ts';

describeWithDatabase('stored files', (databases) => {
  let database: Database;
  let folder: string;
  let accountId: string;
  const clock = new FakeClock();
  const apiKeyId = randomUUID();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-stored-files-'));
    database = await databases.open();
    accountId = await newAccount(database);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const service = (maxAccountBytes = 1_000): FilesService =>
    new FilesService({
      database,
      blobs: new BlobStore(database, folder),
      maxAccountBytes,
      clock,
    });
  const given = (members: Partial<NewFile> = {}): NewFile => ({
    accountId,
    apiKeyId,
    filename: 'a.txt',
    purpose: 'evals',
    lifetimeSeconds: null,
    ...members,
  });
  const filesOnDisk = (): number =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;

  it('stay within the space of their account, also when they arrive at once', async () => {
    const files = service(100);
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => files.create(given(), Buffer.alloc(30))));
    const stored = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(stored).toHaveLength(3);
    const [refused] = results.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'file_storage_full' } });
    expect(filesOnDisk()).toBe(3);
    await expect(files.requireSpace(accountId, 11)).rejects.toMatchObject({ code: 'file_storage_full' });
    await files.requireSpace(accountId, 10);
    for (const { id } of stored) await files.remove({ accountId, apiKeyId }, publicFileId(id));
    expect(filesOnDisk()).toBe(0);
  });

  it('are refused where they are too large, and leave nothing behind', async () => {
    const files = service();
    const refused = Array.from({ length: 20 }, () => files.create(given(), Buffer.alloc(11), 10));
    for (const each of await Promise.allSettled(refused))
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'request_too_large' } });
    expect(filesOnDisk()).toBe(0);
  });

  it.each([0, 1])('are refused with 503 where the database ends its connections after %i calls', async (calls) => {
    const own = mkdtempSync(join(tmpdir(), 'sluice-stored-files-'));
    const ended = Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' });
    const fail = (): Promise<never> => Promise.reject(ended);
    let left = calls;
    const em = (): EntityManager =>
      left-- > 0
        ? database.em()
        : Object.assign(database.em(), { flush: fail, findOne: fail, nativeDelete: fail, transactional: fail });
    const ending = { ...database, em };
    const blobs = new BlobStore(ending, own);
    const files = new FilesService({ database: ending, blobs, maxAccountBytes: 1_000, clock });
    const unavailable = { code: 'database_unavailable', status: 503, retryAfterMs: 1_000 };
    await expect(files.create(given(), Buffer.from('x'))).rejects.toMatchObject(unavailable);
    await expect(blobs.getUnscoped(randomUUID())).rejects.toMatchObject(unavailable);
    rmSync(own, { recursive: true });
  });

  it('are not found from their expiry on, and removed later', async () => {
    const files = service();
    const reach = { accountId, apiKeyId };
    const { id } = await files.create(given({ lifetimeSeconds: 1 }), Buffer.from('x'));
    expect((await files.get(reach, publicFileId(id))).filename).toBe('a.txt');
    clock.advance(1_001);
    await expect(files.get(reach, publicFileId(id))).rejects.toMatchObject({ code: 'not_found' });
    expect((await files.list(reach, { limit: 10, order: 'asc', after: null }, null)).rows).toEqual([]);
    await files.removeExpired();
    expect(await database.query('select id from files')).toEqual([]);
  });

  it('are read by the account’s own work', async () => {
    const files = service();
    const { id } = await files.create(given(), Buffer.from('content'));
    const { stream, file } = await files.openById(accountId, id);
    expect(file.bytes).toBe(7);
    expect(Buffer.concat(await stream.toArray()).toString()).toBe('content');
    await expect(files.openById(randomUUID(), id)).rejects.toMatchObject({ code: 'not_found' });
  });
});
