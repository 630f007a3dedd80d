import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../../../src/database/database.ts';
import { ArchiveRecords } from '../../../../src/services/usage/archive/archive-records.ts';
import { UsageArchive, type UsageArchiveOptions } from '../../../../src/services/usage/archive/usage-archive.ts';
import { parseMonth, type UsageMonth } from '../../../../src/services/usage/archive/usage-months.ts';
import { ArchiveFolder } from '../../../../src/storage/blobs/archive-folder.ts';
import type { ArchiveFiles } from '../../../../src/storage/blobs/blob-files.ts';
import { describeOnEachDatabase } from '../../../harness/databases.ts';
import { usageRecord } from '../../../harness/usage-rows.ts';
import { costOf } from '../arbitrary-usage.ts';
import { someUsage, storedRows, storeUsage } from './archived-usage.ts';
import { readParquet } from './read-parquet.ts';

const PAGE_ROWS = 4_000;

function month(name: string): UsageMonth {
  const parsed = parseMonth(name);
  if (parsed === null) throw new Error('no month');
  return parsed;
}

describeOnEachDatabase('a usage archive', (databases) => {
  let database: Database;
  let folder: string;

  beforeEach(async () => {
    database = await databases.open();
    folder = await mkdtemp(join(tmpdir(), 'sluice-archive-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const archiveWith = (options: Partial<UsageArchiveOptions> = {}): UsageArchive =>
    new UsageArchive({ database, files: new ArchiveFolder(folder), location: folder, ...options });
  const folderOf = (name: string): string => join(folder, 'usage', `month=${name}`);
  const filesOf = async (name: string): Promise<string[]> => (await readdir(folderOf(name))).toSorted();

  async function readMonth(name: string): Promise<Record<string, unknown>[]> {
    const parts = (await filesOf(name)).filter((file) => file.endsWith('.parquet'));
    const read = await Promise.all(parts.map(async (file) => readParquet(await readFile(join(folderOf(name), file)))));
    return read.flatMap(({ rows }) => rows);
  }

  test('has every column of each row of the month, in order, and nothing of other months', async () => {
    const records = someUsage('2025-02', PAGE_ROWS + 500);
    const neighbours = ['2025-01-31T23:59:59.999Z', '2025-03-01T00:00:00.000Z'].map((began_at) =>
      usageRecord({ began_at }),
    );
    await storeUsage(database, [...records, ...neighbours]);
    const { record, added } = await archiveWith({ maxPartRows: PAGE_ROWS }).archive(month('2025-02'));
    expect(await filesOf('2025-02')).toEqual(['_manifest.json', 'part-00001.parquet', 'part-00002.parquet']);
    const rows = await readMonth('2025-02');
    const stored = await storedRows(database, '2025-02-01', '2025-03-01');
    expect(rows).toHaveLength(records.length);
    for (const [index, row] of rows.entries()) expect(row).toEqual(stored[index]);
    expect(record).toMatchObject({ rows: records.length, parts: 2, costNano: costOf(records), location: folder });
    expect(added.map((part) => part.rows)).toEqual([PAGE_ROWS, 500]);
  });

  test('has a part of several row groups, which is verified and read as one', async () => {
    const records = someUsage('2024-01', PAGE_ROWS + 500);
    await storeUsage(database, records);
    const { record } = await archiveWith({ maxGroupRows: 1_300 }).archive(month('2024-01'));
    expect(record).toMatchObject({ rows: records.length, parts: 1, costNano: costOf(records) });
    const { metadata, rows } = await readParquet(await readFile(join(folderOf('2024-01'), 'part-00001.parquet')));
    expect(metadata.row_groups.map((group) => Number(group.num_rows))).toEqual([1_300, 1_300, 1_300, 600]);
    expect(rows).toEqual(await storedRows(database, '2024-01-01', '2024-02-01'));
  });

  test('has types that other programs know, zstd compression, and a manifest with the checksums', async () => {
    const records = someUsage('2025-03', 50);
    await storeUsage(database, records);
    await archiveWith().archive(month('2025-03'));
    const bytes = await readFile(join(folderOf('2025-03'), 'part-00001.parquet'));
    const { metadata } = await readParquet(bytes);
    const element = (name: string) => metadata.schema.find((each) => each.name === name);
    expect(element('cost_usd')).toMatchObject({
      type: 'INT64',
      logical_type: { type: 'DECIMAL', precision: 18, scale: 9 },
      repetition_type: 'REQUIRED',
    });
    expect(element('began_at')).toMatchObject({
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    });
    expect(element('tags')).toMatchObject({ type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' });
    const codecs = metadata.row_groups.flatMap(({ columns }) => columns.map((column) => column.meta_data?.codec));
    expect(new Set(codecs)).toEqual(new Set(['ZSTD']));
    const manifest = JSON.parse(await readFile(join(folderOf('2025-03'), '_manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ month: '2025-03', rows: 50, accounts_with_removed_rows: 0 });
    expect(manifest.parts).toEqual([
      expect.objectContaining({
        name: 'part-00001.parquet',
        rows: 50,
        bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      }),
    ]);
    expect(manifest.columns.map(({ name }: { name: string }) => name)).toEqual(
      metadata.schema.slice(1).map(({ name }) => name),
    );
  });

  test('continues after its last verified part when it was interrupted', async () => {
    await storeUsage(database, someUsage('2025-04', 3 * PAGE_ROWS - 100));
    const interruption = new AbortController();
    const archive = archiveWith({
      maxPartRows: PAGE_ROWS,
      onProgress: ({ part }) => part === 2 && interruption.abort(new Error('interrupted')),
    });
    await expect(archive.archive(month('2025-04'), interruption.signal)).rejects.toThrow('interrupted');
    const [first] = await filesOf('2025-04');
    expect(await filesOf('2025-04')).not.toContain('_manifest.json');
    const written = await stat(join(folderOf('2025-04'), first ?? ''));
    const { added, record } = await archiveWith({ maxPartRows: PAGE_ROWS }).archive(month('2025-04'));
    expect(added.map(({ number }) => number)).not.toContain(1);
    expect(record.parts).toBe(3);
    expect((await stat(join(folderOf('2025-04'), 'part-00001.parquet'))).ino).toBe(written.ino);
    expect(await readMonth('2025-04')).toEqual(await storedRows(database, '2025-04-01', '2025-05-01'));
  });

  test('is taken over from a killed process when its lease has ended', async () => {
    const records = someUsage('2025-05', 100);
    await storeUsage(database, records);
    const held = new ArchiveRecords(database);
    await held.acquire(month('2025-05'), folder, '00000000-0000-4000-8000-000000000000');
    await expect(archiveWith().archive(month('2025-05'))).rejects.toThrow('Another process archives 2025-05');
    await database.query("update usage_archives set held_until = now() - interval '1 second'");
    expect((await archiveWith().archive(month('2025-05'))).record.rows).toBe(100);
  });

  test('adds late rows in a further part, and nothing where there are none', async () => {
    await storeUsage(database, someUsage('2025-06', 60));
    await archiveWith().archive(month('2025-06'));
    expect(await archiveWith().archive(month('2025-06'))).toMatchObject({ isUpToDate: true, added: [] });
    const late = usageRecord({ began_at: '2025-06-30T23:59:59.999Z', cost_nano: '7' });
    await storeUsage(database, [late]);
    // After the bound of the first run, which is now.
    await database.query(
      "update usage_archives set stored_before = stored_before - interval '2 days' where month = '2025-06-01T00:00:00Z'",
    );
    await database.query("update usage_logs set settled_at = settled_at - interval '4 days' where event_id <> $1", [
      late.event_id,
    ]);
    const { added, record } = await archiveWith().archive(month('2025-06'));
    expect(added).toMatchObject([{ number: 2, rows: 1, costNano: 7n }]);
    expect(record).toMatchObject({ rows: 61, parts: 2 });
    expect((await readMonth('2025-06')).map(({ event_id }) => event_id)).toContain(late.event_id);
    expect(await archiveWith().archive(month('2025-06'))).toMatchObject({ isUpToDate: true });
  });

  test('refuses a month that is not over', async () => {
    await expect(archiveWith().archive(month('9998-12'))).rejects.toThrow(
      '9998-12 is not over. It can be archived from 9999-01-01 on (UTC).',
    );
    expect(await readdir(folder)).toEqual([]);
  });

  test('is nothing where rows are removed meanwhile, or a stored file differs', async () => {
    await storeUsage(database, someUsage('2025-07', 80));
    const real = new ArchiveFolder(folder);
    const through: ArchiveFiles = {
      write: (key, content, limit) => real.write(key, content, limit),
      sizeOf: (key) => real.sizeOf(key),
      remove: (key) => real.remove(key),
      open: (key, range) => real.open(key, range),
    };
    const removing: ArchiveFiles = {
      ...through,
      write: async (key, content, limit) => {
        const written = await real.write(key, content, limit);
        await database.query("delete from usage_logs where began_at >= '2025-07-14' and began_at < '2025-08-01'");
        return written;
      },
    };
    await expect(archiveWith({ files: removing }).archive(month('2025-07'))).rejects.toThrow(
      'rows were removed meanwhile',
    );
    expect(await filesOf('2025-07')).toEqual([]);
    const corrupting: ArchiveFiles = {
      ...through,
      open: (key, { first, last }) => real.open(key, { first: first === 0 ? 1 : first, last }),
    };
    await expect(archiveWith({ files: corrupting }).archive(month('2025-07'))).rejects.toThrow('was not archived');
    expect(await new ArchiveRecords(database).of(month('2025-07'))).toBeNull();
    expect((await archiveWith().archive(month('2025-07'))).isUpToDate).toBe(false);
  });

  test('leaves no file of a failed run, also where the storage fails while they are removed', async () => {
    await storeUsage(database, someUsage('2024-02', 2 * PAGE_ROWS + 100));
    const real = new ArchiveFolder(folder);
    let isFailing = true;
    const failing: ArchiveFiles = {
      sizeOf: (key) => real.sizeOf(key),
      open: (key, range) => real.open(key, range),
      write: async (key, content, limit) => {
        const written = await real.write(key, content, limit);
        if (key.endsWith('part-00003.parquet'))
          await database.query("delete from usage_logs where began_at >= '2024-02-02' and began_at < '2024-03-01'");
        return written;
      },
      remove: async (key) => {
        if (isFailing && key.endsWith('part-00002.parquet')) throw new Error('the storage is away');
        await real.remove(key);
      },
    };
    const options = { files: failing, maxPartRows: PAGE_ROWS };
    await expect(archiveWith(options).archive(month('2024-02'))).rejects.toThrow('the storage is away');
    isFailing = false;
    const { record } = await archiveWith(options).archive(month('2024-02'));
    expect(record.parts).toBe(1);
    expect(await filesOf('2024-02')).toEqual(['_manifest.json', 'part-00001.parquet']);
    expect(await readMonth('2024-02')).toEqual(await storedRows(database, '2024-02-01', '2024-03-01'));
  });

  test('removes a file that a killed run left of rows that are gone, also where there are no late rows', async () => {
    await storeUsage(database, someUsage('2024-03', 20));
    await archiveWith().archive(month('2024-03'));
    const [recorded, stray] = ['part-00001.parquet', 'part-00002.parquet'].map((name) =>
      join(folderOf('2024-03'), name),
    );
    await cp(recorded ?? '', stray ?? '');
    expect(await archiveWith().archive(month('2024-03'))).toMatchObject({ isUpToDate: true });
    expect(await filesOf('2024-03')).toEqual(['_manifest.json', 'part-00001.parquet']);
  });

  test('says which file is missing where the storage is another one, and finds it when it was copied', async () => {
    await storeUsage(database, someUsage('2025-08', 10));
    await archiveWith().archive(month('2025-08'));
    const elsewhere = join(folder, 'elsewhere');
    const other = archiveWith({ files: new ArchiveFolder(elsewhere), location: elsewhere });
    await expect(other.archive(month('2025-08'))).rejects.toThrow(
      `usage/month=2025-08/part-00001.parquet is missing in ${elsewhere}. The archive of 2025-08 was written to ${folder}`,
    );
    await cp(join(folder, 'usage'), join(elsewhere, 'usage'), { recursive: true });
    expect(await other.archive(month('2025-08'))).toMatchObject({ isUpToDate: true, record: { location: elsewhere } });
  });

  test('leaves the files of another run that continued it while it was paused', async () => {
    await storeUsage(database, someUsage('2025-10', 70));
    const real = new ArchiveFolder(folder);
    const pausing: ArchiveFiles = {
      open: (key, range) => real.open(key, range),
      sizeOf: (key) => real.sizeOf(key),
      remove: (key) => real.remove(key),
      write: async (key, content, limit) => {
        const written = await real.write(key, content, limit);
        await database.query("update usage_archives set held_until = now() - interval '1 second'");
        // Drafts have the name of their file: the other run is on another machine, as with a bucket.
        const elsewhere = join(folder, 'elsewhere');
        const other = archiveWith({ files: new ArchiveFolder(elsewhere) });
        expect((await other.archive(month('2025-10'))).record.rows).toBe(70);
        await cp(join(elsewhere, 'usage'), join(folder, 'usage'), { recursive: true });
        // By retention, which may remove what is archived.
        await database.query("delete from usage_logs where began_at >= '2025-10-01' and began_at < '2025-11-01'");
        return written;
      },
    };
    await expect(archiveWith({ files: pausing }).archive(month('2025-10'))).rejects.toThrow(
      'Another process archives 2025-10',
    );
    expect(await filesOf('2025-10')).toEqual(['_manifest.json', 'part-00001.parquet']);
    expect(await readMonth('2025-10')).toHaveLength(70);
  });

  test('counts the accounts that lost rows while a run was interrupted', async () => {
    const records = someUsage('2025-11', PAGE_ROWS + 100);
    await storeUsage(database, records);
    const interruption = new AbortController();
    const onProgress = (): void => interruption.abort(new Error('interrupted'));
    const interrupted = archiveWith({ onProgress }).archive(month('2025-11'), interruption.signal);
    await expect(interrupted).rejects.toThrow('interrupted');
    await database.query('insert into usage_retention (account_id, kept_from) values ($1, $2)', [
      records[0]?.account_id,
      new Date('2025-11-02'),
    ]);
    expect((await archiveWith().archive(month('2025-11'))).record.incompleteAccounts).toBe(1);
    const manifest = JSON.parse(await readFile(join(folderOf('2025-11'), '_manifest.json'), 'utf8'));
    expect(manifest.accounts_with_removed_rows).toBe(1);
  });

  test('counts the accounts that lost rows before', async () => {
    const records = someUsage('2025-09', 10);
    await storeUsage(database, records);
    await database.query('insert into usage_retention (account_id, kept_from) values ($1, $2)', [
      records[0]?.account_id,
      new Date('2025-09-02'),
    ]);
    expect((await archiveWith().archive(month('2025-09'))).record.incompleteAccounts).toBe(1);
  });
});
