import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { openDatabase, type OpenDatabaseOptions } from '../../src/database/database.ts';
import { describeOnEachDatabase } from '../harness/databases.ts';
import { shared } from '../harness/shared-resources.ts';
import { someUsage, storedRows, storeUsage } from '../services/usage/archive/archived-usage.ts';
import { readParquet } from '../services/usage/archive/read-parquet.ts';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const ROWS = 19_000;
const PART_ROWS = 4_000;

/** What the command does, with parts small enough for a test. */
const program = `
import { openDatabase } from '${dist}/database/database.js';
import { UsageArchive } from '${dist}/services/usage/archive/usage-archive.js';
import { parseMonth } from '${dist}/services/usage/archive/usage-months.js';
import { ArchiveFolder } from '${dist}/storage/blobs/archive-folder.js';
const { place, location, killedAt } = JSON.parse(process.argv[2]);
const database = await openDatabase(place);
const onProgress = ({ part }) => part === killedAt && process.kill(process.pid, 'SIGKILL');
const files = new ArchiveFolder(location);
const archive = new UsageArchive({ database, files, location, maxPartRows: ${PART_ROWS}, onProgress });
const { added } = await archive.archive(parseMonth('2025-10'));
console.log(JSON.stringify(added.map(({ number }) => number)));
await database.close();
`;

describeOnEachDatabase('an archive of usage whose process is killed', (databases) => {
  let place: OpenDatabaseOptions;
  let location: string;
  let folder: string;
  let rows: readonly Record<string, unknown>[];

  beforeAll(async () => {
    await shared('build');
    place = await databases.place();
    writeFileSync(join(place.dataDir, 'archive.mjs'), program);
    location = join(place.dataDir, 'archive');
    folder = join(location, 'usage', 'month=2025-10');
    await inDatabase(async (database) => {
      await storeUsage(database, someUsage('2025-10', ROWS));
      rows = await storedRows(database, '2025-10-01', '2025-11-01');
    });
  });

  async function inDatabase(work: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<unknown>) {
    const database = await openDatabase(place);
    try {
      await work(database);
    } finally {
      await database.close();
    }
  }

  /** @param killedAt the number of the part in which the process is killed */
  const start = (killedAt?: number) =>
    spawn(process.execPath, [join(place.dataDir, 'archive.mjs'), JSON.stringify({ place, location, killedAt })], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  it('is continued after its last verified part, and has each row once', async () => {
    const [, signal] = await once(start(3), 'exit');
    expect(signal).toBe('SIGKILL');
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['part-00001.parquet', 'part-00002.parquet']));
    expect(readdirSync(folder)).not.toContain('_manifest.json');
    await inDatabase((database) =>
      database.query("update usage_archives set held_until = now() - interval '1 second'"),
    );
    const next = start();
    const [out, err] = await Promise.all([text(next.stdout), text(next.stderr)]);
    expect(err).toBe('');
    const added: number[] = JSON.parse(out);
    expect(added).toEqual([3, 4, 5]);
    const parts = [1, 2, 3, 4, 5].map((number) => `part-0000${number}.parquet`);
    expect(readdirSync(folder).toSorted()).toEqual(['_manifest.json', ...parts]);
    const read = await Promise.all(parts.map((name) => readParquet(readFileSync(join(folder, name)))));
    expect(read.flatMap((part) => part.rows)).toEqual(rows);
  });
});
