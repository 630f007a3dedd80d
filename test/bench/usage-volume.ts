import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as databaseModule from '../../src/database/database.ts';
import type * as reportModule from '../../src/services/usage/report/usage-report.ts';
import type * as storeModule from '../../src/services/usage/usage-store.ts';
import type * as serviceModule from '../../src/services/usage/usage.service.ts';
import { startPostgres } from '../harness/postgres.ts';
import { cpuMicroseconds } from './processes.ts';
import { keySection } from './usage-key-section.ts';
import { batchOf, populate, RARE_MODEL, type Population, type RowBatch } from './usage-rows.ts';

/** What a segment of the journal holds of such rows in one of the drainer's batches. */
const BATCH_ROWS = 2_800;
/** Made up at once, before they are stored: that is no part of what is measured. */
const BATCHES_MADE = 100;
/** As many as the drainer of one server has. */
const WRITERS = 2;
/** Requests that begin in one second, of the time after the thirty days. */
const RUSH = 10_000;
const RUSH_ROWS = 300_000;
/** A server of some size has a quarter of its memory. */
const SHARED_BUFFERS = '2GB';
const RUNS = 40;
const MIN_ROWS_TO_WRITE = 1_000_000;
/** Where no day of before is a day any more. */
const MOVED_TO = 'Asia/Kolkata';

interface Measured {
  readonly name: string;
  readonly p50: number;
  readonly p95: number;
}

interface Size {
  readonly name: string;
  readonly bytes: number;
}

interface Filled {
  /** Of all time that storing took. */
  readonly perSecond: number;
  /** Of PostgreSQL, in microseconds a row: what else the machine does matters less to it. */
  readonly cpu: number;
}

type Database = databaseModule.Database;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** Fills server PostgreSQL with usage, as the drainer would, and measures what a dashboard asks of it. */
export async function reportUsageVolume(rows: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-usage-'));
  // PostgreSQL runs as another user, who has to get in.
  chmodSync(folder, 0o755);
  const postgres = await startPostgres(join(folder, 'postgres'), { shared_buffers: SHARED_BUFFERS, autovacuum: 'on' });
  const { openDatabase }: typeof databaseModule = await built('database/database.js');
  const database = await openDatabase({ url: postgres.url, dataDir: folder });
  try {
    await database.migrate();
    const population = populate();
    await createAccounts(database, population);
    const postmaster = Number.parseInt(readFileSync(join(folder, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
    const fillMeasured = async (during: Population, count: number): Promise<Filled> => {
      const before = cpuMicroseconds(postmaster);
      const perSecond = await fill(database, during, count);
      return { perSecond, cpu: (cpuMicroseconds(postmaster) - before) / count };
    };
    const filled = await fillMeasured(population, rows);
    const { to } = population;
    const rush = await fillMeasured({ ...population, from: to, to: to + (RUSH_ROWS / RUSH) * 1_000 }, RUSH_ROWS);
    say('Analyzing …');
    await database.transaction(async (client) => {
      await client.query("select set_config('statement_timeout', '0', true)");
      for (const table of ['usage_logs', 'usage_rollups', 'usage_tag_rollups', 'ledger_entries'])
        await client.query(`analyze ${table}`);
    });
    const measured = await measureQueries(database, population);
    const report = render(rows, filled, rush, await sizes(database), measured);
    process.stdout.write(report);
    if (rows >= MIN_ROWS_TO_WRITE)
      writeFileSync(fileURLToPath(new URL('USAGE.md', import.meta.url)), report + keySection());
  } finally {
    await database.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function createAccounts(database: Database, { accounts }: Population): Promise<void> {
  for (const { id, timeZone, keys } of accounts) {
    await database.query('insert into accounts (id, name, time_zone) values ($1, $2, $3)', [
      id,
      'An account',
      timeZone,
    ]);
    await database.query(
      "insert into api_keys (id, account_id, name, hint, secret_hmac) select key, $1, 'A key', 'sk-…', decode(md5(key::text), 'hex') from unnest($2::uuid[]) as key",
      [id, keys],
    );
  }
}

/** Entities need the compiler: they are loaded as they were built. */
export function built<Module>(path: string): Promise<Module> {
  return import(new URL(`../../dist/${path}`, import.meta.url).href);
}

/** @returns rows a second, of the time that storing takes: what is stored is made up in between */
export async function fill(database: Database, population: Population, rows: number): Promise<number> {
  const { UsageStore }: typeof storeModule = await built('services/usage/usage-store.js');
  const store = new UsageStore(database, (_row, error) => {
    throw error;
  });
  let [storing, done, told] = [0, 0, 0];
  const write = async (batches: RowBatch[]): Promise<void> => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift())
      await store.store(batch.rows, batch.commons);
  };
  while (done < rows) {
    const batches: RowBatch[] = [];
    for (; batches.length < BATCHES_MADE && done < rows; done += BATCH_ROWS)
      batches.push(batchOf(population, done, Math.min(BATCH_ROWS, rows - done), rows));
    const start = performance.now();
    await Promise.all(Array.from({ length: WRITERS }, () => write(batches)));
    storing += performance.now() - start;
    if (done - told < rows / 20 && done < rows) continue;
    say(`${Math.min(done, rows)} of ${rows} rows, ${Math.round((done / storing) * 1_000)} a second`);
    told = done;
  }
  return (rows / storing) * 1_000;
}

async function measureQueries(database: Database, { accounts, from, to }: Population): Promise<Measured[]> {
  const { UsageReporter }: typeof reportModule = await built('services/usage/report/usage-report.js');
  const { UsageService }: typeof serviceModule = await built('services/usage/usage.service.js');
  const [reports, logs] = [new UsageReporter(database), new UsageService(database)];
  const [account] = accounts;
  if (account === undefined) throw new RangeError('there are no accounts');
  const [apiKeyId] = account.keys;
  const days = {
    from: new Date(from),
    to: new Date(to),
    interval: null,
    groupBy: [],
    latency: false,
    limit: 1_000,
  } as const;
  const lastDay = { ...days, from: new Date(to - 86_400_000) };
  const halfWay = { beganAt: new Date((from + to) / 2), eventId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  const inZone = (zone: string): Promise<unknown> =>
    database.query('update accounts set time_zone = $1 where id = $2', [zone, account.id]);
  const page =
    (filter: Parameters<typeof logs.logs>[1], after: typeof halfWay | null = null) =>
    async () => {
      await logs.logs(account.id, filter, 50, after);
    };
  const report = (query: Parameters<typeof reports.report>[1]) => async () => {
    await reports.report(account.id, query);
  };

  const queries: readonly (readonly [name: string, run: () => Promise<void>, zone?: string])[] = [
    ['30 days by model and day', report({ ...days, interval: 'day', groupBy: ['model'] })],
    [
      '30 days by model and day, with percentiles',
      report({ ...days, interval: 'day', groupBy: ['model'], latency: true }),
    ],
    ['30 days by key and day', report({ ...days, interval: 'day', groupBy: ['key'] })],
    [
      'the same once the account has moved to Kolkata',
      report({ ...days, interval: 'day', groupBy: ['key'] }),
      MOVED_TO,
    ],
    ['top keys of 30 days', report({ ...days, groupBy: ['key'], limit: 10 })],
    ['30 days by team (a tag) and day', report({ ...days, interval: 'day', groupBy: ['tag'] })],
    ['the last day by hour', report({ ...lastDay, interval: 'hour' })],
    ['last 50 rows', page({})],
    ['last 50 rows, from the middle on', page({}, halfWay)],
    ['last 50 rows of a key', page({ apiKeyId })],
    ['last 50 rows of a model', page({ model: 'openai/gpt-5.5' })],
    ['last 50 rows of a rare model', page({ model: RARE_MODEL })],
    ['last 50 rows of a model that nobody used', page({ model: 'nobody/uses-this' })],
    ['last 50 rows of a provider', page({ provider: 'mistral' })],
    ['last 50 rows that failed', page({ status: 'failed' })],
    ['last 50 rows of an end user', page({ endUser: 'user-7' })],
    ['last 50 rows of a tag', page({ tag: { name: 'team', value: 'team-3' } })],
    ['last 50 rows of a tag that nobody has', page({ tag: { name: 'team', value: 'none' } })],
  ];
  const measured: Measured[] = [];
  for (const [name, run, zone = account.timeZone] of queries) {
    await inZone(zone);
    await run();
    const times: number[] = [];
    for (let turn = 0; turn < RUNS; turn++) {
      const start = performance.now();
      await run();
      times.push(performance.now() - start);
    }
    times.sort((a, b) => a - b);
    const result = { name, p50: times[RUNS / 2] ?? 0, p95: times[Math.floor(RUNS * 0.95)] ?? 0 };
    say(`${name}: p50 ${result.p50.toFixed(1)} ms, p95 ${result.p95.toFixed(1)} ms`);
    measured.push(result);
  }
  return measured;
}

async function sizes(database: Database): Promise<Size[]> {
  const rows = await database.query<{ name: string; bytes: string }>(`
    select name, sum(bytes) as bytes from (
      select case when relname like 'usage_logs%' then 'usage_logs, rows' else relname || ', rows and index' end as name,
        case when relname like 'usage_logs%' then pg_table_size(oid) else pg_total_relation_size(oid) end as bytes
      from pg_class where relkind = 'r' and relname ~ '^(usage_logs|usage_rollups|usage_tag_rollups|ledger_)'
      union all
      select 'usage_logs, index ' || regexp_replace(index.relname, '^usage_logs_\\d{4}_\\d{2}_|_idx\\d*$', '', 'g'), pg_relation_size(index.oid)
      from pg_index join pg_class as index on index.oid = indexrelid where index.relname ~ '^usage_logs_\\d{4}' 
    ) as parts group by name having sum(bytes) > 0 order by sum(bytes) desc`);
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }));
}

function speed({ perSecond, cpu }: Filled): string {
  const alone = Math.round(1e6 / cpu).toLocaleString('en');
  return `**${Math.round(perSecond).toLocaleString('en')} rows a second**, ${cpu.toFixed(0)} µs of PostgreSQL's CPU a row (${alone} a second on a core of its own).`;
}

function render(
  rows: number,
  filled: Filled,
  rush: Filled,
  stored: readonly Size[],
  measured: readonly Measured[],
): string {
  const [cpu] = cpus();
  const all = stored.reduce((sum, { bytes }) => sum + bytes, 0);
  const perRow = (bytes: number): string => (bytes / rows).toFixed(0);
  return [
    '# Usage at volume',
    '',
    `\`npm run bench -- --only usage --rows ${rows}\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}, PostgreSQL with ${SHARED_BUFFERS} of shared buffers and without fsync.`,
    '',
    `${rows.toLocaleString('en')} rows of 30 days, 20 accounts with 25 keys each and 13 models, unevenly spread; one in five has a tag. The queries are those of the account that has a third of them, which is in New York.`,
    '',
    `Stored through \`UsageStore\` in batches of ${BATCH_ROWS}, ${WRITERS} at a time as one server does, with roll-ups, ledger and balances. The thirty days: ${speed(filled)} ${RUSH_ROWS.toLocaleString('en')} more that begin at ${RUSH.toLocaleString('en')} a second: ${speed(rush)}`,
    '',
    `| query, ${RUNS} times | p50 ms | p95 ms |`,
    '|---|---:|---:|',
    ...measured.map(({ name, p50, p95 }) => `| ${name} | ${p50.toFixed(1)} | ${p95.toFixed(1)} |`),
    '',
    '| on disk | MB | bytes a row |',
    '|---|---:|---:|',
    ...stored.map(({ name, bytes }) => `| ${name} | ${(bytes / 2 ** 20).toFixed(0)} | ${perRow(bytes)} |`),
    `| **all** | ${(all / 2 ** 20).toFixed(0)} | ${perRow(all)} |`,
    '',
  ].join('\n');
}
