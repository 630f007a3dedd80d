import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { usageCommand } from '../../../src/cli/usage/usage.command.ts';
import { openDatabase, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import type { S3Settings } from '../../../src/storage/blobs/s3/s3-settings.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { runCommand, type CommandResult } from '../../harness/run-command.ts';
import { describeWithS3, s3Environment, startS3, type RunningS3 } from '../../harness/s3.ts';
import { someUsage, storedRows, storeUsage } from '../usage/archive/archived-usage.ts';
import { readParquet } from '../usage/archive/read-parquet.ts';

const october = someUsage('2025-10', 120);

async function fill(place: OpenDatabaseOptions): Promise<readonly Record<string, unknown>[]> {
  const database = await openDatabase(place);
  try {
    await storeUsage(database, [...october, ...someUsage('2025-11', 5)]);
    return await storedRows(database, '2025-10-01', '2025-11-01');
  } finally {
    await database.close();
  }
}

describeOnEachDatabase('sluice usage archive', (databases) => {
  let place: OpenDatabaseOptions;
  let rows: readonly Record<string, unknown>[];
  const run = (...args: readonly string[]): Promise<CommandResult> => runCommand('usage', usageCommand, place, args);

  beforeAll(async () => {
    place = await databases.place();
    rows = await fill(place);
  });

  it('says what it would archive, and writes nothing', async () => {
    expect(await run('archive', '--dry-run')).toEqual({
      code: 0,
      err: '',
      out: '2025-10: 120 rows would be archived\n2025-11: 5 rows would be archived\n',
    });
    expect(existsSync(join(place.dataDir, 'archive'))).toBe(false);
  });

  it('archives every month that is over in the data folder, and finds nothing to do the next time', async () => {
    const { code, out, err } = await run('archive');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [first, second] = out.trimEnd().split('\n');
    const folder = join(place.dataDir, 'archive', 'usage', 'month=2025-10');
    expect(first).toMatch(/^2025-10: archived and verified 120 rows \(\d+\.\d+ USD, 0\.\d MB\) in 1 part, in /);
    expect(first).toContain(folder);
    expect(second).toMatch(/^2025-11: archived and verified 5 rows/);
    expect((await readParquet(readFileSync(join(folder, 'part-00001.parquet')))).rows).toEqual(rows);
    const again = await run('archive', '--month', '2025-10');
    expect(again).toMatchObject({ code: 0, err: '' });
    expect(again.out).toMatch(/^2025-10: up to date, with 120 rows .* There are no late rows\.\n$/);
    expect((await run('archive', '--dry-run', '--month=2025-10')).out).toBe(
      '2025-10: archived, 120 rows; there are no late rows\n',
    );
  });

  it.each([
    [['--month', '9998-12'], '9998-12 is not over. It can be archived from 9999-01-01 on (UTC).\n'],
    [['--month', '2025-13'], '--month must be a month, such as 2026-10. "2025-13" is none.\n'],
    [['--month', '1999-01'], 'The usage log has no rows of 1999-01.\n'],
  ])('refuses %j', async (args, err) => {
    expect(await run('archive', ...args)).toEqual({ code: 2, out: '', err });
  });
});

describeWithS3('sluice usage archive in a bucket', () => {
  describeOnEachDatabase('of a store', (databases) => {
    let s3: RunningS3;
    let settings: S3Settings;
    let place: OpenDatabaseOptions;
    let rows: readonly Record<string, unknown>[];

    beforeAll(async () => {
      s3 = await startS3();
      settings = await s3.settings('archives', 'sluice/test/');
      place = await databases.place();
      rows = await fill(place);
    });
    afterAll(() => s3.stop());

    it('has the same files below the prefix', async () => {
      const args = ['archive', '--month', '2025-10'];
      const { code, out, err } = await runCommand('usage', usageCommand, place, args, s3Environment(settings));
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('in s3://archives/sluice/test/usage/month=2025-10/.');
      const { Contents = [] } = await s3.client.send(new ListObjectsV2Command({ Bucket: 'archives' }));
      const keys = ['_manifest.json', 'part-00001.parquet'].map((name) => `sluice/test/usage/month=2025-10/${name}`);
      expect(Contents.map(({ Key }) => Key).toSorted()).toEqual(keys);
      const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: 'archives', Key: keys[1] }));
      const bytes = Body === undefined ? Buffer.alloc(0) : Buffer.from(await Body.transformToByteArray());
      expect((await readParquet(bytes)).rows).toEqual(rows);
    });
  });
});
