import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { storageCommand } from '../../../src/cli/storage/storage.command.ts';
import { openDatabase, type Database, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import { Account, Blob } from '../../../src/database/entities/index.ts';
import { BlobStore, type NewBlob } from '../../../src/storage/blob-store.ts';
import type { BlobFiles } from '../../../src/storage/blobs/blob-files.ts';
import { BlobMigration } from '../../../src/storage/blobs/blob-migration.ts';
import { FolderFiles } from '../../../src/storage/blobs/folder-files.ts';
import { S3Files } from '../../../src/storage/blobs/s3/s3-files.ts';
import type { S3Settings } from '../../../src/storage/blobs/s3/s3-settings.ts';
import { PART_BYTES } from '../../../src/storage/blobs/s3/s3-upload.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { noDatabase, runCommand } from '../../harness/run-command.ts';
import { describeWithS3, s3Environment, startS3, type RunningS3 } from '../../harness/s3.ts';

describeWithS3('sluice storage migrate', () => {
  describeWithDatabase('between the folder and a bucket', (databases) => {
    let s3: RunningS3;
    let settings: S3Settings;
    let place: OpenDatabaseOptions;
    let folder: string;
    let database: Database;
    let bucket: S3Files;
    let inFolder: BlobStore;
    let inBucket: BlobStore;
    let meta: NewBlob;

    beforeAll(async () => {
      s3 = await startS3();
      settings = await s3.settings('migrated', 'sluice/');
      place = await databases.place();
      folder = join(place.dataDir, 'blobs');
      database = await openDatabase(place);
      bucket = new S3Files(settings);
      inFolder = new BlobStore(database, folder, { files: bucket, isTarget: false });
      inBucket = new BlobStore(database, folder, { files: bucket, isTarget: true });
      const em = database.em();
      const account = em.create(Account, { name: 'Moves' });
      await em.persist(account).flush();
      meta = { accountId: account.id, contentType: 'image/png', expiresAt: null, sizeLimit: 1_000_000_000 };
    });
    beforeEach(async () => {
      await database.em().nativeUpdate(Blob, {}, { expiresAt: new Date() });
      await inBucket.sweep(new Date());
      expect([await files(), await keys()]).toEqual([[], []]);
    });
    afterAll(async () => {
      await bucket.close();
      await database.close();
      await s3.stop();
    });

    const run = (...args: readonly string[]) =>
      runCommand('storage', storageCommand, place, ['migrate', ...args], s3Environment(settings));
    const toBucket = ['--from', 'folder', '--to', 's3'] as const;
    const toFolder = ['--from', 's3', '--to', 'folder'] as const;

    async function files(): Promise<string[]> {
      const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
      return found.filter((each) => each.isFile()).map(({ name }) => name);
    }

    async function keys(): Promise<string[]> {
      const { Contents = [] } = await s3.client.send(new ListObjectsV2Command({ Bucket: 'migrated' }));
      return Contents.map(({ Key = '' }) => Key);
    }

    /** The bucket, which does something first. */
    function bucketWith(hooks: {
      readonly sizeOf?: () => Promise<unknown>;
      readonly remove?: () => Promise<unknown>;
    }): BlobFiles {
      return {
        write: (...given) => bucket.write(...given),
        open: (...given) => bucket.open(...given),
        sizeOf: async (name) => {
          await hooks.sizeOf?.();
          return bucket.sizeOf(name);
        },
        remove: async (name) => {
          await hooks.remove?.();
          await bucket.remove(name);
        },
        removeAbandoned: (before) => bucket.removeAbandoned(before),
        list: () => bucket.list(),
      };
    }

    const migrationFrom = (from: 'folder' | 's3', through: BlobFiles = bucket) =>
      new BlobMigration({ database, folder: new FolderFiles(folder, async () => false), bucket: through, from });

    async function read(id: string): Promise<Buffer | null> {
      const open = await inFolder.getUnscoped(id);
      return open && buffer(open.stream);
    }

    it('moves every file to the bucket and back, and says how many', async () => {
      const contents = [randomBytes(0), randomBytes(1_000), randomBytes(PART_BYTES + 1_000)];
      const stored = await Promise.all(contents.map((content) => inFolder.put(content, meta)));
      await inFolder.put(randomBytes(10), { ...meta, expiresAt: new Date(Date.now() - 1) });

      const tried = await run(...toBucket, '--dry-run');
      expect(tried).toMatchObject({ code: 0, out: '3 files (8.4 MB) would be moved. Nothing was changed.\n' });
      expect([await keys(), await files()]).toMatchObject([[], { length: 4 }]);

      const moved = await run(...toBucket);
      expect(moved).toMatchObject({ code: 0, err: '', out: '3 files (8.4 MB) moved of 3 files (8.4 MB).\n' });
      expect((await keys()).toSorted()).toEqual(
        stored.map(({ id }) => `sluice/media/${meta.accountId}/${id}`).toSorted(),
      );
      for (const [at, { id }] of stored.entries())
        expect((await read(id))?.equals(contents[at] ?? Buffer.alloc(9))).toBe(true);
      expect(await run(...toBucket)).toMatchObject({ code: 0, out: '0 files (0.0 MB) moved of 0 files (0.0 MB).\n' });

      expect(await run(...toFolder)).toMatchObject({ code: 0, out: '3 files (8.4 MB) moved of 3 files (8.4 MB).\n' });
      expect(await keys()).toEqual([]);
      for (const [at, { id }] of stored.entries())
        expect((await read(id))?.equals(contents[at] ?? Buffer.alloc(9))).toBe(true);
    });

    it('moves files while they are read and deleted, and others are stored', async () => {
      const ids: string[] = [];
      for (let at = 0; at < 40; at++) ids.push((await inFolder.put(Buffer.from(`file ${at}`), meta)).id);
      const migration = run(...toBucket);
      const deleted = ids.splice(30);
      const [, , added] = await Promise.all([
        Promise.all(deleted.map((id) => inFolder.delete(id, meta.accountId))),
        Promise.all(ids.map(async (id, at) => expect((await read(id))?.toString()).toBe(`file ${at}`))),
        inBucket.put(Buffer.from('added'), meta),
      ]);
      expect((await migration).code).toBe(0);
      for (const [at, id] of ids.entries()) expect((await read(id))?.toString()).toBe(`file ${at}`);
      for (const id of deleted) expect(await read(id)).toBeNull();
      expect((await read(added.id))?.toString()).toBe('added');
      expect((await keys()).length).toBe(31);
      expect(await files()).toEqual([]);
    });

    it('leaves a file that is missing or differs from its checksum, names it, and moves the others', async () => {
      const [missing, changed, whole] = await Promise.all(
        ['missing', 'changed', 'whole'].map((text) => inFolder.put(Buffer.from(text), meta)),
      );
      if (missing === undefined || changed === undefined || whole === undefined) throw new Error('A blob is missing.');
      await rm(join(folder, missing.id.slice(0, 2), missing.id));
      await writeFile(join(folder, changed.id.slice(0, 2), changed.id), 'CHANGED');
      const { code, out, err } = await run(...toBucket);
      expect([code, out]).toEqual([1, '1 file (0.0 MB) moved of 3 files (0.0 MB).\n']);
      expect(err).toContain(`${missing.id} was not moved: there is no such file in the folder\n`);
      expect(err).toContain(`${changed.id} was not moved: its content differs from its checksum (7 of 7 bytes)\n`);
      expect(err).toContain('2 files could not be moved; they remain where they are.\n');
      expect(await keys()).toEqual([`sluice/media/${meta.accountId}/${whole.id}`]);
      expect((await read(changed.id))?.toString()).toBe('CHANGED');
    });

    it('continues after an interruption, and removes originals that it left', async () => {
      const stored = [];
      for (let at = 0; at < 20; at++) stored.push(await inFolder.put(Buffer.from(`file ${at}`), meta));
      const interruption = new AbortController();
      const migration = new BlobMigration({
        database,
        folder: new FolderFiles(folder, async () => false),
        bucket,
        from: 'folder',
        onProgress: ({ moved }) => moved >= 5 && interruption.abort(),
      });
      const { moved, failed } = await migration.run(interruption.signal);
      expect(failed).toBe(0);
      expect(moved).toBeGreaterThanOrEqual(5);
      expect(moved).toBeLessThan(20);
      expect((await files()).length).toBe(20 - moved);
      // As after a kill between the change of the row and the removal.
      const [first] = await database.em().find(Blob, { objectKey: { $ne: null } }, { limit: 1 });
      const id = first?.id ?? randomUUID();
      await writeFile(join(folder, id.slice(0, 2), id), 'left');

      expect(await run(...toBucket)).toMatchObject({ code: 0, out: expect.stringContaining(`${20 - moved} files`) });
      expect(await files()).toEqual([]);
      for (const [at, each] of stored.entries()) expect((await read(each.id))?.toString()).toBe(`file ${at}`);
    });

    it('leaves the copy of another run that moved the same file', async () => {
      const { id } = await inFolder.put(Buffer.from('moved twice'), meta);
      const late = bucketWith({ sizeOf: () => migrationFrom('folder').run() });
      expect(await migrationFrom('folder', late).run()).toEqual({ moved: 0, movedBytes: 0, failed: 0 });
      expect((await read(id))?.toString()).toBe('moved twice');
      expect(await files()).toEqual([]);
    });

    it('leaves no file of a blob that was deleted or swept while it was moved', async () => {
      const moving = bucketWith({ remove: () => migrationFrom('s3').run() });
      const store = new BlobStore(database, folder, { files: moving, isTarget: true });
      const deleted = await store.put(Buffer.from('deleted'), meta);
      expect(await store.delete(deleted.id, meta.accountId)).toBe(true);
      expect([await files(), await keys()]).toEqual([[], []]);

      const tomorrow = new Date(Date.now() + 86_400_000);
      const swept = await store.put(Buffer.from('swept'), { ...meta, expiresAt: tomorrow });
      expect(await store.sweep(tomorrow)).toBe(0);
      expect((await read(swept.id))?.toString()).toBe('swept');
      expect(await store.sweep(tomorrow)).toBe(1);
      expect([await files(), await keys()]).toEqual([[], []]);
    });

    it('says why the bucket cannot be used, and changes nothing', async () => {
      await inFolder.put(randomBytes(10), meta);
      const environment = { ...s3Environment(settings), S3_BUCKET: 'none' };
      const { code, err } = await runCommand('storage', storageCommand, place, ['migrate', ...toBucket], environment);
      expect(code).toBe(1);
      expect(err).toMatch(/^The bucket cannot be used: /);
      expect((await files()).length).toBe(1);
    });

    it.each([
      [['migrate'], 'Specify `--from folder --to s3`'],
      [['migrate', '--from', 'folder', '--to', 'folder'], 'Specify `--from folder --to s3`'],
      [['move', ...toBucket], 'Usage:'],
      [['migrate', '--form', 'folder'], "Unknown option '--form'"],
    ])('refuses %j before it opens the database', async (args, message) => {
      const { code, err } = await runCommand('storage', storageCommand, noDatabase, args);
      expect(code).toBe(2);
      expect(err).toContain(message);
    });

    it('refuses to run without a bucket', async () => {
      const { code, err } = await runCommand('storage', storageCommand, place, ['migrate', ...toBucket]);
      expect([code, err]).toEqual([2, 'S3_BUCKET is not set.\n']);
    });
  });
});
