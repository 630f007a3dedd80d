import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as databaseModule from '../../src/database/database.ts';
import type { FinishedContent } from '../../src/gateway/content/content-log.ts';
import type * as sealModule from '../../src/services/content-log/content-seal.ts';
import type * as segmentsModule from '../../src/services/content-log/segment-store.ts';
import type * as reportModule from '../../src/services/usage/report/usage-report.ts';
import type * as sortedModule from '../../src/services/usage/sorted-usage.ts';
import type * as storeModule from '../../src/services/usage/usage-store.ts';
import type * as serviceModule from '../../src/services/usage/usage.service.ts';
import type * as blobsModule from '../../src/storage/blob-store.ts';
import { startPostgres } from '../harness/postgres.ts';
import { storeContents } from '../harness/store-contents.ts';
import { usageRecord } from '../harness/usage-rows.ts';
import { loggedText, models, type Place } from './content-texts.ts';

/** As many as the queue stores at once. */
const BATCH_RECORDS = 2_000;
const WRITERS = 2;
const SHARED_BUFFERS = '2GB';
const RUNS = 40;
const DAYS = 30;
const DAY_MS = 86_400_000;
const PAGE_ROWS = 50;
const MIN_ROWS_TO_WRITE = 1_000_000;
/** What is intended of a page of search results, in any order. */
const MAX_SEARCH_MS = 300;
/** What is intended of totals, which pages do not wait for. */
const MAX_TOTALS_MS = 1_000;

type Database = databaseModule.Database;

interface Measured {
  readonly name: string;
  readonly p50: number;
  readonly p95: number;
  /** What is intended. */
  readonly maxMs: number;
}

interface Size {
  readonly name: string;
  readonly bytes: number;
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * Fills server PostgreSQL with the logged requests of one account, with content and search, as a server would, and measures what
 * filters and search take.
 * @returns whether each page is within what is intended
 */
export async function reportContentVolume(rows: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-content-'));
  // PostgreSQL runs as another user, who has to get in.
  chmodSync(folder, 0o755);
  const postgres = await startPostgres(join(folder, 'postgres'), { shared_buffers: SHARED_BUFFERS, autovacuum: 'on' });
  const { openDatabase }: typeof databaseModule = await built('database/database.js');
  const database = await openDatabase({ url: postgres.url, dataDir: folder });
  try {
    await database.migrate();
    const [account] = await database.query<{ id: string }>(
      "insert into accounts (id, name, content_level, content_search) values (gen_random_uuid(), 'An account', 'full', true) returning id",
    );
    if (account === undefined) throw new Error('The account was not stored.');
    const to = Date.now();
    const perSecond = await fill(database, join(folder, 'blobs'), account.id, { rows, to });
    say('Analyzing …');
    await database.transaction(async (client) => {
      await client.query("select set_config('statement_timeout', '0', true)");
      for (const table of ['usage_logs', 'usage_rollups', 'logged_contents', 'logged_texts'])
        await client.query(`analyze ${table}`);
    });
    const measured = await measureQueries(database, account.id, to);
    const report = render(rows, perSecond, await sizes(database, join(folder, 'blobs')), measured);
    process.stdout.write(report);
    if (rows >= MIN_ROWS_TO_WRITE) writeFileSync(fileURLToPath(new URL('CONTENT.md', import.meta.url)), report);
    return measured.every(({ p95, maxMs }) => p95 <= maxMs);
  } finally {
    await database.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Entities need the compiler: they are loaded as they were built. */
function built<Module>(path: string): Promise<Module> {
  return import(new URL(`../../dist/${path}`, import.meta.url).href);
}

/** @returns rows a second */
async function fill(
  database: Database,
  blobFolder: string,
  accountId: string,
  { rows, to }: { readonly rows: number; readonly to: number },
): Promise<number> {
  const { UsageStore }: typeof storeModule = await built('services/usage/usage-store.js');
  const { SegmentStore }: typeof segmentsModule = await built('services/content-log/segment-store.js');
  const { ContentSeal }: typeof sealModule = await built('services/content-log/content-seal.js');
  const { BlobStore }: typeof blobsModule = await built('storage/blob-store.js');
  const usage = new UsageStore(database, (_row, error) => {
    throw error;
  });
  const contents = new SegmentStore({
    database,
    blobs: new BlobStore(database, blobFolder),
    seal: new ContentSeal('the master key of this benchmark'),
    log: { warn: (fields) => say(JSON.stringify(fields)) },
  });
  const keys = Array.from({ length: 25 }, () => crypto.randomUUID());
  const start = performance.now();
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < rows) {
      const first = next;
      next += BATCH_RECORDS;
      const batch = Array.from({ length: Math.min(BATCH_RECORDS, rows - first) }, (_, at) => {
        const place = { at: first + at, of: rows };
        const moment = to - DAYS * DAY_MS * (1 - place.at / rows);
        return logged(accountId, keys[place.at % keys.length] ?? '', moment, place);
      });
      await usage.store(Buffer.from(JSON.stringify(batch.map(({ record }) => record))));
      await storeContents(
        contents,
        batch.map(({ content }) => content),
      );
      if (Math.floor(first / (rows / 20)) !== Math.floor(next / (rows / 20)))
        say(
          `${Math.min(next, rows)} of ${rows} rows, ${Math.round((next / (performance.now() - start)) * 1_000)} a second`,
        );
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return (rows / (performance.now() - start)) * 1_000;
}

function logged(accountId: string, keyId: string, moment: number, place: Place) {
  const record = usageRecord({
    account_id: accountId,
    api_key_id: keyId,
    began_at: new Date(moment).toISOString(),
    model: models[place.at % models.length] ?? '',
    status: place.at % 50 === 0 ? 'failed' : 'succeeded',
    cost_nano: String(1_000 + (place.at % 977) * 1_000),
    end_user: null,
    tags: place.at % 5 === 0 ? { team: `team-${place.at % 7}` } : null,
    content_level: 'full',
  });
  const { request, response } = loggedText(place);
  const document = {
    request: { model: record.model, messages: [{ role: 'user', content: request }] },
    response: { object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: response } }] },
    error: null,
    isComplete: true,
  };
  const content: FinishedContent = {
    eventId: record.event_id,
    accountId,
    level: 'full',
    document: Buffer.from(JSON.stringify(document)),
    redactions: {},
    searchText: `${request}\n${response}`,
  };
  return { record, content };
}

async function measureQueries(database: Database, accountId: string, to: number): Promise<Measured[]> {
  const { UsageService }: typeof serviceModule = await built('services/usage/usage.service.js');
  const { SortedUsage }: typeof sortedModule = await built('services/usage/sorted-usage.js');
  const { UsageReporter }: typeof reportModule = await built('services/usage/report/usage-report.js');
  const [logs, sorted, reports] = [new UsageService(database), new SortedUsage(database), new UsageReporter(database)];
  const halfWay = { beganAt: new Date(to - (DAYS / 2) * DAY_MS), eventId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  type Filter = Parameters<typeof logs.logs>[1];
  const page =
    (filter: Filter, after: typeof halfWay | null = null, backwards = false) =>
    () =>
      logs.logs(accountId, filter, PAGE_ROWS, after, backwards);
  const byCost = (filter: Filter) => () =>
    sorted.page(accountId, filter, 'cost_desc', { limit: PAGE_ROWS, from: null, backwards: false });
  const totals = (filter: Filter) => () =>
    reports.report(accountId, {
      from: new Date(to - DAYS * DAY_MS),
      to: new Date(to),
      interval: 'day',
      groupBy: ['model'],
      filter,
      latency: false,
      limit: 1_000,
    });
  const pages: readonly (readonly [name: string, run: () => Promise<unknown>])[] = [
    ['last 50 rows', page({})],
    ['of a model', page({ model: models[1] })],
    ['that failed', page({ status: 'failed' })],
    ['of a tag', page({ tag: { name: 'team', value: 'team-3' } })],
    ['with a word that all have', page({ text: 'please' })],
    ['with a word that half of them have', page({ text: 'half' })],
    ['with a word of one in a hundred', page({ text: 'refund' })],
    ['with a word of one in ten thousand', page({ text: 'quokka' })],
    ['with a word of one request', page({ text: 'unicorn' })],
    ['with a word that none has', page({ text: 'nowhere' })],
    ['with a word of one day, 25 days ago', page({ text: 'outage' })],
    ['with two words that half have, never both', page({ text: 'half other' })],
    ['with a phrase', page({ text: '"refund policy"' })],
    ['with one of two words', page({ text: 'quokka or unicorn' })],
    ['with a word, without another', page({ text: 'please -half' })],
    ['with a word of one in a hundred, of a model', page({ text: 'refund', model: models[1] })],
    ['with a word of one in a hundred, that failed', page({ text: 'refund', status: 'failed' })],
    ['with a word that half have, that failed', page({ text: 'half', status: 'failed' })],
    ['with a word that half have, of an error that none has', page({ text: 'half', errorCode: 'unknown_url' })],
    ['with a word of one in a hundred, from the middle on', page({ text: 'refund' }, halfWay)],
    ['with a word of one in a hundred, the oldest first', page({ text: 'refund' }, null, true)],
    ['by cost, with a word of one in a hundred', byCost({ text: 'refund' })],
    ['by cost, with a word that half have', byCost({ text: 'half' })],
    ['by cost, with a word that half have, that failed', byCost({ text: 'half', status: 'failed' })],
    ['by cost, with a word of one day, 25 days ago', byCost({ text: 'outage' })],
  ];
  const sums: readonly (readonly [name: string, run: () => Promise<unknown>])[] = [
    ['30 days by model and day, with a word of one in ten thousand', totals({ text: 'quokka' })],
    ['30 days by model and day, with a word of one in a hundred', totals({ text: 'refund' })],
    ['30 days by model and day, with a word of one day, 25 days ago', totals({ text: 'outage' })],
    ['30 days by model and day, with a word that half have', totals({ text: 'half' })],
    ['30 days by model and day, with a word that all have', totals({ text: 'please' })],
    ['30 days by model and day, with a word that half have, that failed', totals({ text: 'half', status: 'failed' })],
  ];
  const measured: Measured[] = [];
  for (const [name, run] of pages) measured.push({ ...(await timed(name, run, RUNS)), maxMs: MAX_SEARCH_MS });
  for (const [name, run] of sums) measured.push({ ...(await timed(name, run, RUNS / 4)), maxMs: MAX_TOTALS_MS });
  return measured;
}

async function timed(name: string, run: () => Promise<unknown>, runs: number): Promise<Omit<Measured, 'maxMs'>> {
  await run();
  const times: number[] = [];
  for (let turn = 0; turn < runs; turn++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const result = { name, p50: times[Math.floor(runs / 2)] ?? 0, p95: times[Math.floor(runs * 0.95)] ?? 0 };
  say(`${name}: p50 ${result.p50.toFixed(1)} ms, p95 ${result.p95.toFixed(1)} ms`);
  return result;
}

async function sizes(database: Database, blobFolder: string): Promise<Size[]> {
  const tables = await database.query<{ name: string; bytes: string }>(`
    select name, sum(bytes) as bytes from (
      select regexp_replace(relname, '_\\d{4}_\\d{2}$', '') || ', rows' as name, pg_table_size(oid) as bytes
      from pg_class where relkind = 'r' and relname ~ '^(usage_logs|logged_)'
      union all
      select case when tables.relname like 'usage_logs%' then 'usage_logs, indexes' else index.relname end, pg_relation_size(index.oid)
      from pg_index join pg_class as index on index.oid = indexrelid join pg_class as tables on tables.oid = indrelid
      where tables.relkind = 'r' and tables.relname ~ '^(usage_logs|logged_)'
    ) as parts group by name having sum(bytes) > 0 order by sum(bytes) desc`);
  const files = readdirSync(blobFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return [{ name: 'segments', bytes }, ...tables.map((each) => ({ name: each.name, bytes: Number(each.bytes) }))];
}

function render(rows: number, perSecond: number, stored: readonly Size[], measured: readonly Measured[]): string {
  const [cpu] = cpus();
  const perRow = (bytes: number): string => (bytes / rows).toFixed(0);
  const all = stored.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    '# Logged content at volume',
    '',
    `\`npm run bench -- --only content-volume --rows ${rows}\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}, PostgreSQL with ${SHARED_BUFFERS} of shared buffers and without fsync.`,
    '',
    `${rows.toLocaleString('en')} requests of one account in 30 days, with content of about 1 kB each and search. Stored through \`UsageStore\` and \`SegmentStore\` in batches of ${BATCH_RECORDS}, ${WRITERS} at a time: ${Math.round(perSecond).toLocaleString('en')} rows a second. A page is intended to take at most ${MAX_SEARCH_MS} ms at the 95th percentile, totals ${MAX_TOTALS_MS} ms: pages do not wait for them. An order by cost sorts the latest 10,000 requests that match, totals cover the latest 50,000.`,
    '',
    `| page of ${PAGE_ROWS} rows, ${RUNS} times | p50 ms | p95 ms |`,
    '|---|---:|---:|',
    ...measured.filter(({ maxMs }) => maxMs === MAX_SEARCH_MS).map(lineOf),
    '',
    `| totals, ${RUNS / 4} times | p50 ms | p95 ms |`,
    '|---|---:|---:|',
    ...measured.filter(({ maxMs }) => maxMs === MAX_TOTALS_MS).map(lineOf),
    '',
    '| on disk | MB | bytes a request |',
    '|---|---:|---:|',
    ...stored.map(({ name, bytes }) => `| ${name} | ${(bytes / 2 ** 20).toFixed(0)} | ${perRow(bytes)} |`),
    `| **all** | ${(all / 2 ** 20).toFixed(0)} | ${perRow(all)} |`,
    '',
  ].join('\n');
}

function lineOf({ name, p50, p95 }: Measured): string {
  return `| ${name} | ${p50.toFixed(1)} | ${p95.toFixed(1)} |`;
}
