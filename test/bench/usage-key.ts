import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type * as databaseModule from '../../src/database/database.ts';
import type * as exportModule from '../../src/services/usage/export/usage-export.ts';
import type * as serviceModule from '../../src/services/usage/usage.service.ts';
import { startPostgres } from '../harness/postgres.ts';
import { cpuMicroseconds } from './processes.ts';
import { writeKeySection } from './usage-key-section.ts';
import { populate, type Population } from './usage-rows.ts';
import { built, createAccounts, fill } from './usage-volume.ts';

type Database = databaseModule.Database;

const MIGRATION = 'Migration20261128213000_key_usage_logs_by_account';
const SHARED_BUFFERS = '1GB';
const RUNS = 200;
const MIN_ROWS_TO_WRITE = 500_000;
const HOUR_MS = 3_600_000;

interface Layout {
  readonly name: string;
  prepare(database: Database): Promise<unknown>;
}

const layouts: readonly Layout[] = [
  {
    name: 'before: key (event_id, began_at), index (account_id, began_at, event_id)',
    prepare: (database) => database.orm.migrator.down(MIGRATION),
  },
  {
    name: 'now: key (account_id, began_at, event_id), unique index (event_id, began_at)',
    prepare: () => Promise.resolve(),
  },
  {
    name: 'once no earlier version writes: the same, with a plain index (event_id)',
    prepare: async (database) => {
      await database.query('drop index usage_logs_by_event');
      await database.query('create index usage_logs_by_event on usage_logs (event_id)');
    },
  },
  {
    name: 'now, and BRIN (began_at)',
    prepare: (database) => database.query('create index usage_logs_by_time on usage_logs using brin (began_at)'),
  },
];

interface Result {
  readonly name: string;
  readonly perSecond: number;
  /** Of PostgreSQL, in microseconds a row. */
  readonly cpu: number;
  /** Bytes a row. */
  readonly wal: number;
  readonly table: number;
  readonly keys: number;
  readonly indexes: number;
  /** Milliseconds. */
  readonly page: number;
  readonly middle: number;
  readonly one: number;
  readonly hour: number;
  /** Bytes a row of the export. */
  readonly parquet: number;
  /** Rows a second. */
  readonly exported: number;
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** Stores the same number of rows with each layout of the key, on a database of its own, and reads pages of them. */
export async function reportUsageKey(rows: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-key-'));
  // PostgreSQL runs as another user, who has to get in.
  chmodSync(folder, 0o755);
  const postgres = await startPostgres(join(folder, 'postgres'), { shared_buffers: SHARED_BUFFERS, autovacuum: 'on' });
  try {
    const postmaster = Number.parseInt(readFileSync(join(folder, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
    const admin = new Client(postgres.url);
    await admin.connect();
    const results: Result[] = [];
    for (const [number, layout] of layouts.entries()) {
      say(layout.name);
      await admin.query(`create database layout_${number}`);
      const url = postgres.url.replace(/\/postgres$/, `/layout_${number}`);
      results.push(await measure(url, folder, layout, rows, postmaster));
      await admin.query(`drop database layout_${number} with (force)`);
    }
    await admin.end();
    const section = render(rows, results);
    process.stdout.write(section);
    if (rows >= MIN_ROWS_TO_WRITE) writeKeySection(section);
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  url: string,
  dataDir: string,
  { name, prepare }: Layout,
  rows: number,
  postmaster: number,
): Promise<Result> {
  const { openDatabase }: typeof databaseModule = await built('database/database.js');
  const database = await openDatabase({ url, dataDir });
  try {
    await database.migrate();
    await prepare(database);
    const population = populate();
    await createAccounts(database, population);
    const [before, wal] = [cpuMicroseconds(postmaster), await walBytes(database)];
    const perSecond = await fill(database, population, rows);
    const cpu = (cpuMicroseconds(postmaster) - before) / rows;
    const written = ((await walBytes(database)) - wal) / rows;
    await database.query('vacuum (analyze) usage_logs');
    return {
      name,
      perSecond,
      cpu,
      wal: written,
      ...(await sizes(database, rows)),
      ...(await reads(database, population)),
    };
  } finally {
    await database.close();
  }
}

async function walBytes(database: Database): Promise<number> {
  const [row] = await database.query<{ bytes: number }>("select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes");
  return Number(row?.bytes ?? 0);
}

async function sizes(database: Database, rows: number): Promise<Pick<Result, 'table' | 'keys' | 'indexes'>> {
  const [row] = await database.query<{ table: number; keys: number; indexes: number }>(`
    with parts as (select inhrelid as oid from pg_inherits where inhparent = 'usage_logs'::regclass)
    select (select sum(pg_table_size(oid)) from parts)::float8 as table,
      (select sum(pg_indexes_size(oid)) from parts)::float8 as indexes,
      (select sum(pg_relation_size(indexrelid)) from pg_index join parts on indrelid = oid
        where pg_get_indexdef(indexrelid) ~ '\\((event_id|event_id, began_at|account_id, began_at, event_id)\\)$' or indisprimary)::float8 as keys`);
  if (row === undefined) throw new Error('there are no partitions');
  return { table: row.table / rows, keys: row.keys / rows, indexes: row.indexes / rows };
}

async function reads(
  database: Database,
  { accounts, from, to }: Population,
): Promise<Pick<Result, 'page' | 'middle' | 'one' | 'hour' | 'parquet' | 'exported'>> {
  const { UsageService }: typeof serviceModule = await built('services/usage/usage.service.js');
  const logs = new UsageService(database);
  const [account] = accounts;
  if (account === undefined) throw new RangeError('there are no accounts');
  const middle = { beganAt: new Date((from + to) / 2), eventId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  const [some] = (await logs.logs(account.id, {}, 1, middle)).rows;
  const hour = [middle.beganAt, new Date(middle.beganAt.getTime() + HOUR_MS)];
  return {
    page: await median(() => logs.logs(account.id, {}, 50, null)),
    middle: await median(() => logs.logs(account.id, {}, 50, middle)),
    one: await median(() => logs.log(account.id, some?.eventId ?? '')),
    hour: await median(
      () =>
        database.query('select count(*), sum(cost_nano) from usage_logs where began_at >= $1 and began_at < $2', hour),
      RUNS / 10,
    ),
    ...(await exportDays(database, account.id, to)),
  };
}

/** The last three days of an account. */
async function exportDays(
  database: Database,
  accountId: string,
  to: number,
): Promise<Pick<Result, 'parquet' | 'exported'>> {
  const { UsageExport }: typeof exportModule = await built('services/usage/export/usage-export.js');
  const from = new Date(to - 3 * 24 * HOUR_MS);
  const [counted] = await database.query<{ rows: number }>(
    'select count(*)::int as rows from usage_logs where account_id = $1 and began_at >= $2',
    [accountId, from],
  );
  const rows = counted?.rows ?? 0;
  const start = performance.now();
  let bytes = 0;
  for await (const chunk of new UsageExport(database).file('parquet', { accountId, from })) bytes += chunk.length;
  return { parquet: bytes / rows, exported: (rows / (performance.now() - start)) * 1_000 };
}

async function median(run: () => Promise<unknown>, runs = RUNS): Promise<number> {
  await run();
  const times: number[] = [];
  for (let turn = 0; turn < runs; turn++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
}

function render(rows: number, results: readonly Result[]): string {
  const line = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  const count = (value: number): string => Math.round(value).toLocaleString('en');
  return [
    '',
    `\`npm run bench -- --only usage-key --rows ${rows}\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores, PostgreSQL with ${SHARED_BUFFERS} of shared buffers and without fsync and full-page writes. ${count(rows)} rows as above for each layout, each in a database of its own. "Key" is the primary key and the index beside it in this list. Medians of ${RUNS} reads.`,
    '',
    line(
      'layout',
      'rows/s',
      "PostgreSQL's CPU, µs a row",
      'rows, bytes a row',
      'key, bytes a row',
      'all indexes, bytes a row',
      'WAL, bytes a row',
    ),
    '|---|---:|---:|---:|---:|---:|---:|',
    ...results.map((each) =>
      line(
        each.name,
        count(each.perSecond),
        each.cpu.toFixed(1),
        count(each.table),
        count(each.keys),
        count(each.indexes),
        count(each.wal),
      ),
    ),
    '',
    line(
      'layout',
      'last 50 rows, ms',
      '50 rows from the middle, ms',
      'one row by its ID, ms',
      'an hour of all accounts, ms',
    ),
    '|---|---:|---:|---:|---:|',
    ...results.map((each) =>
      line(each.name, each.page.toFixed(2), each.middle.toFixed(2), each.one.toFixed(2), each.hour.toFixed(1)),
    ),
    '',
    `An export as Parquet has ${count(Math.max(...results.map(({ parquet }) => parquet)))} bytes a row and takes one core for ${count(Math.min(...results.map(({ exported }) => exported)))} rows a second.`,
    '',
  ].join('\n');
}
