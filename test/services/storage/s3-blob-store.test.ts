import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkStorage } from '../../../src/cli/doctor/check-storage.ts';
import { parseEnvironment } from '../../../src/config/environment.ts';
import type { Database } from '../../../src/database/database.ts';
import { Account, Blob } from '../../../src/database/entities/index.ts';
import { BlobStore, type NewBlob } from '../../../src/storage/blob-store.ts';
import type { ListedFile } from '../../../src/storage/blobs/blob-files.ts';
import { SEGMENT_TYPE } from '../../../src/storage/blobs/object-key.ts';
import { S3Files } from '../../../src/storage/blobs/s3/s3-files.ts';
import type { S3Settings } from '../../../src/storage/blobs/s3/s3-settings.ts';
import { PART_BYTES } from '../../../src/storage/blobs/s3/s3-upload.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { describeWithS3, s3Environment, startS3, type RunningS3 } from '../../harness/s3.ts';

const HOUR_MS = 3_600_000;

describeWithS3('a bucket', () => {
  describeWithDatabase('of the blob store', (databases) => {
    let s3: RunningS3;
    let settings: S3Settings;
    let database: Database;
    let folder: string;
    let files: S3Files;
    let blobs: BlobStore;
    let accountId: string;
    let meta: NewBlob;

    beforeAll(async () => {
      s3 = await startS3();
      settings = await s3.settings('blobs', 'sluice/test/');
      database = await databases.open();
      folder = await mkdtemp(join(tmpdir(), 'sluice-blobs-'));
      files = new S3Files(settings);
      blobs = new BlobStore(database, folder, { files, isTarget: true });
      const em = database.em();
      const account = em.create(Account, { name: 'With objects' });
      await em.persist(account).flush();
      accountId = account.id;
      meta = { accountId, contentType: 'audio/mpeg', expiresAt: null, sizeLimit: 1_000_000_000 };
    });
    afterAll(async () => {
      await files.close();
      await s3.stop();
      await rm(folder, { recursive: true, force: true });
    });

    async function keys(): Promise<string[]> {
      const { Contents = [] } = await s3.client.send(new ListObjectsV2Command({ Bucket: 'blobs' }));
      return Contents.map(({ Key = '' }) => Key);
    }

    async function uploads(): Promise<string[]> {
      const { Uploads = [] } = await s3.client.send(new ListMultipartUploadsCommand({ Bucket: 'blobs' }));
      return Uploads.map(({ Key = '' }) => Key).toSorted();
    }

    test('stores each kind of blob under its own prefix, and nothing in the folder', async () => {
      const kinds = { [SEGMENT_TYPE]: 'content', 'application/jsonl': 'batches', 'image/png': 'media' };
      for (const [contentType, kind] of Object.entries(kinds)) {
        const { id } = await blobs.put(Buffer.from('content'), { ...meta, contentType });
        expect(await keys()).toContain(`sluice/test/${kind}/${accountId}/${id}`);
      }
      const { id } = await blobs.put(Buffer.from('content'), {
        ...meta,
        accountId: null,
        contentType: 'application/octet-stream',
      });
      expect(await keys()).toContain(`sluice/test/files/server/${id}`);
      expect(await readdir(folder, { recursive: true })).toEqual([]);
    });

    test.each([0, 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES + 12_345])(
      'returns a file of %d bytes completely and in ranges',
      async (size) => {
        const bytes = randomBytes(size);
        const stored = await blobs.put(chunks(bytes), meta);
        expect(stored).toMatchObject({ accountId, contentType: 'audio/mpeg', size, expiresAt: null });
        expect(stored.sha256).toEqual(createHash('sha256').update(bytes).digest());
        const whole = await blobs.get(stored.id, accountId);
        expect(whole && (await buffer(whole.stream)).equals(bytes)).toBe(true);
        const other = await blobs.put(bytes, meta);
        const again = await blobs.getUnscoped(other.id);
        expect(again && (await buffer(again.stream)).equals(bytes)).toBe(true);
        await expect(blobs.get(stored.id, accountId, { first: size + 1 })).rejects.toThrow(RangeError);
        if (size < 20) return;
        const last = await blobs.getUnscoped(stored.id, () => ({ first: size - 10, last: size + 1_000 }));
        expect(last).toMatchObject({ first: size - 10, last: size - 1 });
        expect(last && (await buffer(last.stream)).equals(bytes.subarray(-10))).toBe(true);
      },
    );

    test('stores nothing of a file above the limit or with a failing source', async () => {
      const before = await keys();
      const rows = await database.em().count(Blob);
      for (const sizeLimit of [5_000, PART_BYTES + 5_000])
        await expect(blobs.put(chunks(randomBytes(sizeLimit + 1)), { ...meta, sizeLimit })).rejects.toMatchObject({
          code: 'request_too_large',
        });
      for (const size of [100, 2 * PART_BYTES])
        await expect(blobs.put(broken(size), meta)).rejects.toThrow('the upload broke off');
      await expect(blobs.put(randomBytes(PART_BYTES + 1), { ...meta, accountId: randomUUID() })).rejects.toThrow();
      expect(await keys()).toEqual(before);
      expect(await uploads()).toEqual([]);
      expect(await database.em().count(Blob)).toBe(rows);
    });

    test("serves and deletes an account's file for that account only", async () => {
      const { id } = await blobs.put(randomBytes(10), meta);
      for (const stranger of [randomUUID(), null]) {
        expect(await blobs.get(id, stranger)).toBeNull();
        expect(await blobs.delete(id, stranger)).toBe(false);
      }
      expect(await blobs.delete(id, accountId)).toBe(true);
      expect(await blobs.delete(id, accountId)).toBe(false);
      expect(await blobs.get(id, accountId)).toBeNull();
      expect((await keys()).filter((key) => key.includes(id))).toEqual([]);
    });

    test('returns null for an object that is missing although its row exists, and deletes its row', async () => {
      const { id } = await blobs.put(randomBytes(100), meta);
      await files.remove(`media/${accountId}/${id}`);
      await files.remove(`media/${accountId}/${id}`);
      expect(await blobs.get(id, accountId)).toBeNull();
      expect(await blobs.delete(id, accountId)).toBe(true);
    });

    test('reads each file where it is, whatever is the target', async () => {
      const inFolder = new BlobStore(database, folder, { files, isTarget: false });
      const [object, file] = [
        await blobs.put(Buffer.from('object'), meta),
        await inFolder.put(Buffer.from('file'), meta),
      ];
      for (const store of [blobs, inFolder])
        for (const [{ id }, text] of [
          [object, 'object'],
          [file, 'file'],
        ] as const) {
          const open = await store.get(id, accountId);
          expect(open && (await buffer(open.stream)).toString()).toBe(text);
        }
      const withoutBucket = new BlobStore(database, folder);
      await expect(withoutBucket.get(object.id, accountId)).rejects.toMatchObject({ code: 'storage_unavailable' });
      expect(await blobs.delete(file.id, accountId)).toBe(true);
      expect((await readdir(folder, { recursive: true })).filter((name) => name.includes(file.id))).toEqual([]);
    });

    test('removes expired objects, and uploads of blobs that were abandoned for a day', async () => {
      const now = Date.now();
      const expired = await blobs.put(randomBytes(10), { ...meta, expiresAt: new Date(now - 1) });
      const later = await blobs.put(randomBytes(10), { ...meta, expiresAt: new Date(now + 100 * HOUR_MS) });
      const [abandoned, foreign] = [`sluice/test/files/${accountId}/${randomUUID()}`, 'sluice/test/report.csv'];
      for (const Key of [abandoned, foreign])
        await s3.client.send(new CreateMultipartUploadCommand({ Bucket: 'blobs', Key }));

      expect(await blobs.sweep(new Date(now))).toBe(1);
      expect(await uploads()).toEqual([abandoned, foreign]);
      expect(await blobs.sweep(new Date(now + 25 * HOUR_MS))).toBe(0);
      expect(await uploads()).toEqual([foreign]);
      const left = await keys();
      expect(left.some((key) => key.includes(expired.id))).toBe(false);
      expect(left.some((key) => key.includes(later.id))).toBe(true);
    });

    test('lists the objects of blobs in pages, and no others', async () => {
      const own = new S3Files({ ...settings, prefix: 'many/' });
      const names = Array.from({ length: 1_005 }, () => `media/server/${randomUUID()}`);
      for (let at = 0; at < names.length; at += 50)
        await Promise.all(
          [...names.slice(at, at + 50), ...(at === 0 ? ['media/server/notes.txt'] : [])].map(async (name) =>
            (await own.write(name, Buffer.from('x'), 1)).commit(),
          ),
        );
      const pages: (readonly ListedFile[])[] = [];
      for await (const page of own.list()) pages.push(page);
      expect(pages.length).toBeGreaterThan(1);
      expect(
        pages
          .flat()
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(names.toSorted());
      await own.close();
    });

    test('requests the configured encryption of each object', async () => {
      const encrypted = new S3Files({ ...settings, serverSideEncryption: 'AES256' });
      const store = new BlobStore(database, folder, { files: encrypted, isTarget: true });
      for (const size of [10, PART_BYTES + 10]) {
        const bytes = randomBytes(size);
        const { id } = await store.put(bytes, meta);
        const Key = `sluice/test/media/${accountId}/${id}`;
        const head = await s3.client.send(new HeadObjectCommand({ Bucket: 'blobs', Key }));
        expect(head.ServerSideEncryption).toBe('AES256');
        const open = await store.get(id, accountId, { first: 5 });
        expect(open && (await buffer(open.stream)).equals(bytes.subarray(5))).toBe(true);
      }
      await encrypted.close();
    });

    test('gives links to unencrypted objects of the account, with the headers that are signed', async () => {
      const linking = new BlobStore(database, folder, { files, isTarget: true, hasLinks: true });
      const headers = {
        contentType: 'application/octet-stream',
        contentDisposition: "attachment; filename*=UTF-8''a%20%28b%29.bin",
      };
      const bytes = randomBytes(1_000);
      const { id } = await linking.put(bytes, { ...meta, contentType: 'text/html' });
      const link = (await linking.linkTo(id, accountId, headers)) ?? '';
      const response = await fetch(link);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe(headers.contentType);
      expect(response.headers.get('content-disposition')).toBe(headers.contentDisposition);
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
      expect(new URL(link).searchParams.get('X-Amz-Expires')).toBe('60');
      const changed = [
        link.replace('octet-stream', 'xhtml%2Bxml'),
        link.replace(id, randomUUID()),
        link.replace('X-Amz-Expires=60', 'X-Amz-Expires=600'),
      ];
      for (const other of changed) expect((await fetch(other)).status).toBe(403);
      expect((await fetch(link, { method: 'DELETE' })).status).toBe(403);

      const past = new FakeClock(Date.now() - 61_000);
      const early = new S3Files(settings, past);
      const late = await early.linkTo(`media/${accountId}/${id}`, headers);
      expect((await fetch(late)).status).toBe(403);
      await early.close();

      const sealed = await linking.put(bytes, { ...meta, contentType: SEGMENT_TYPE });
      const expired = await linking.put(bytes, { ...meta, expiresAt: new Date(Date.now() - 1) });
      const inFolder = await new BlobStore(database, folder, { files, isTarget: false }).put(bytes, meta);
      for (const each of [sealed, expired, inFolder])
        expect(await linking.linkTo(each.id, accountId, headers)).toBeNull();
      expect(await linking.linkTo(id, randomUUID(), headers)).toBeNull();
      expect(await blobs.linkTo(id, accountId, headers)).toBeNull();
    });

    test('does not need streams to be read', async () => {
      const { id } = await blobs.put(randomBytes(500_000), meta);
      // More than there are sockets.
      for (let opened = 0; opened < 300; opened++) (await blobs.get(id, accountId))?.stream.destroy();
      const open = await blobs.get(id, accountId);
      expect(open && (await buffer(open.stream)).length).toBe(500_000);
    });

    test('reports a bucket that does not exist, wrong credentials, and a store that does not respond', async () => {
      const wrong: Partial<S3Settings>[] = [
        { bucket: 'none' },
        { credentials: { accessKeyId: 'test-access-key', secretAccessKey: 'wrong' } },
        { endpoint: 'http://127.0.0.1:9' },
      ];
      for (const part of wrong) {
        const unusable = new S3Files({ ...settings, ...part });
        const store = new BlobStore(database, folder, { files: unusable, isTarget: true });
        const failure = { code: 'storage_unavailable', status: 503, retryAfterMs: 1_000 };
        await expect(unusable.check()).rejects.toMatchObject(failure);
        await expect(store.put(randomBytes(10), meta)).rejects.toMatchObject(failure);
        await expect(store.put(randomBytes(PART_BYTES + 1), meta)).rejects.toMatchObject(failure);
        await unusable.close();
      }
      s3.pause();
      const impatient = new S3Files({ ...settings, timeoutMs: 100 });
      await expect(impatient.check()).rejects.toMatchObject({ code: 'storage_unavailable' });
      s3.resume();
      await impatient.close();
    });

    test('is examined by sluice doctor', async () => {
      const examine = (bucket: string) => checkStorage(parseEnvironment(s3Environment({ ...settings, bucket }), []));
      expect(await examine('blobs')).toMatchObject([
        {
          subject: 'Storage',
          state: 'ok',
          text: expect.stringMatching(/^the bucket blobs at 127\.0\.0\.1:\d+ answers/),
        },
      ]);
      const missing = await examine('none');
      expect(missing).toMatchObject([{ state: 'failed', advice: expect.stringContaining('S3_BUCKET') }]);
      expect(JSON.stringify(missing)).not.toContain(settings.credentials?.secretAccessKey);
    });

    test('is unavailable while the store is down, and leaves nothing that a sweep does not remove', async () => {
      await blobs.sweep(new Date());
      const { id } = await blobs.put(Buffer.from('before'), meta);
      const deleted = await blobs.put(Buffer.from('deleted'), meta);
      const rows = await database.em().count(Blob);
      const uncommitted = async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.from('read before the outage');
        await s3.kill();
      };
      const failure = { code: 'storage_unavailable', status: 503 };
      await expect(blobs.put(uncommitted(), meta)).rejects.toMatchObject(failure);
      await expect(blobs.get(id, accountId)).rejects.toMatchObject(failure);
      expect(await blobs.delete(deleted.id, accountId)).toBe(true);

      await s3.start();
      const open = await blobs.get(id, accountId);
      expect(open && (await buffer(open.stream)).toString()).toBe('before');
      expect(await blobs.get(deleted.id, accountId)).toBeNull();
      await blobs.sweep(new Date());
      expect(await database.em().count(Blob)).toBe(rows - 1);
      expect((await keys()).some((key) => key.includes(deleted.id))).toBe(false);
    });
  });
});

async function* chunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 100_007) yield bytes.subarray(at, at + 100_007);
}

async function* broken(size: number): AsyncGenerator<Buffer> {
  yield* chunks(randomBytes(size));
  throw new Error('the upload broke off');
}
