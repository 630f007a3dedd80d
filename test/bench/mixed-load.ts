import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import type * as databaseModule from '../../src/database/database.ts';
import { closeConnections, loads, send } from './load.ts';
import { start } from './processes.ts';
import { startSluice, startUpstream, type SluiceTarget } from './targets.ts';
import type { Population } from './usage-rows.ts';
import { built, createAccounts, fill } from './usage-volume.ts';

/** Of the account that exports and reports. */
const ROWS = 100_000;
/** That are invoiced, each with some rows. */
const INVOICED = 200;
const ROWS_EACH = 50;
const SUBSCRIBERS = 1_000;
const DAY_MS = 86_400_000;
/** The rows are of the days before, so that a month of them has ended. */
const DAYS = 40;
const WARM_UP = 60_000;
/** Of one measurement. */
const MEASURE_MS = 15_000;
const REQUESTS_AT_A_TIME = 1_000;
const REPORT_PAUSE_MS = 250;
/** What is intended while all goes on at once, in ms. */
const MAX_DELAY_MS = 20;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

interface Measured {
  readonly name: string;
  /** Of the event loop, in ms. */
  readonly p99: number;
  readonly max: number;
  /** Of small requests, in ms. */
  readonly requestP99: number;
  readonly requests: number;
  /** How often the work beside them was done. */
  readonly done: number;
}

/** Starts work beside the requests. @returns what stops it, and resolves with how often it was done */
type Work = () => Promise<() => Promise<number>>;

/**
 * Sends small requests while the same process exports 100,000 rows, creates invoices, reports usage and serves 1,000 subscribers:
 * first beside each of these, then beside all at once.
 * @returns whether the event loop is delayed as little as intended while all goes on
 */
export async function reportMixedLoad(): Promise<boolean> {
  const upstream = await startUpstream();
  const target = await startSluice(upstream.origin);
  try {
    await storeUsage(target);
    say('Warming up …');
    await send(target, loads.small, WARM_UP);
    const works: Readonly<Record<string, Work>> = {
      'export of 100,000 rows': exportUsage(target),
      'GraphQL reports': reportUsage(target),
      'invoice run': invoice(target),
      '1,000 subscribers': subscribe(target),
    };
    await measure(target, 'nothing else', []);
    const measured = [await measure(target, 'nothing else', [])];
    for (const [name, work] of Object.entries(works)) measured.push(await measure(target, name, [work]));
    const all = await measure(target, 'all of these at once', Object.values(works));
    for (const each of [...measured, all]) process.stdout.write(`${sentence(each)}\n`);
    process.stdout.write(`Bound: p99 ${MAX_DELAY_MS} ms while all goes on at once.\n`);
    return all.p99 <= MAX_DELAY_MS;
  } finally {
    await closeConnections();
    await target.stop();
    await upstream.stop();
  }
}

async function measure(target: SluiceTarget, name: string, works: readonly Work[]): Promise<Measured> {
  say(`Small requests beside: ${name}`);
  await target.settle();
  const stops: (() => Promise<number>)[] = [];
  for (const work of works) stops.push(await work());
  await delays(target);
  const times: number[] = [];
  for (const until = performance.now() + MEASURE_MS; performance.now() < until;)
    times.push(...(await send(target, loads.small, REQUESTS_AT_A_TIME)));
  const { p99, max } = await delays(target);
  const done = (await Promise.all(stops.map((stop) => stop()))).reduce((sum, count) => sum + count, 0);
  times.sort((a, b) => a - b);
  return { name, p99, max, requestP99: times[Math.floor(times.length * 0.99)] ?? NaN, requests: times.length, done };
}

/** Since they were read before, in ms. */
async function delays({ url }: SluiceTarget): Promise<{ readonly p99: number; readonly max: number }> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const read = (name: string): number =>
    1_000 * Number(new RegExp(`^sluice_event_loop_delay_${name}_seconds (\\S+)$`, 'm').exec(metrics)?.[1] ?? NaN);
  return { p99: read('p99'), max: read('max') };
}

function sentence({ name, p99, max, requestP99, requests, done }: Measured): string {
  const times = done === 0 ? '' : `, done ${done} times`;
  return `beside ${name}: event loop delayed by ${p99.toFixed(1)} ms at p99, ${max.toFixed(0)} ms at most; small requests take ${requestP99.toFixed(1)} ms at p99 (${requests} requests${times})`;
}

/** Of the account of the server's key. */
async function storeUsage(target: SluiceTarget): Promise<void> {
  await withDatabase(target, async (database) => {
    const [own] = await database.query<{ id: string; account_id: string }>('select id, account_id from api_keys');
    if (own === undefined) throw new Error('The server has no key.');
    await fill(database, population([[own.account_id, own.id]]), ROWS);
  });
}

/** @returns accounts with a billing period that has ended */
async function storeInvoiced(target: SluiceTarget): Promise<readonly string[]> {
  const invoiced = population(Array.from({ length: INVOICED }, () => [randomUUID(), randomUUID()]));
  const ids = invoiced.accounts.map(({ id }) => id);
  await withDatabase(target, async (database) => {
    await createAccounts(database, invoiced);
    await database.query('update accounts set created_at = $1, plan_since = $1 where id = any($2)', [
      new Date(invoiced.from),
      ids,
    ]);
    await fill(database, invoiced, INVOICED * ROWS_EACH);
    // What was stored in the last minute is on the next invoice.
    await database.query(
      "update usage_logs set settled_at = settled_at - interval '1 hour' where account_id = any($1)",
      [ids],
    );
  });
  return ids;
}

function population(accounts: readonly (readonly [id: string, key: string])[]): Population {
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  return {
    accounts: accounts.map(([id, key]) => ({ id, timeZone: 'UTC', keys: [key] })),
    from: to - DAYS * DAY_MS,
    to,
  };
}

async function withDatabase(
  { databaseUrl }: SluiceTarget,
  use: (database: databaseModule.Database) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-mixed-'));
  const { openDatabase }: typeof databaseModule = await built('database/database.js');
  const database = await openDatabase({ url: databaseUrl, dataDir: folder });
  try {
    await use(database);
  } finally {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function exportUsage({ url, headers }: SluiceTarget): Work {
  const [from, to] = [-DAYS - 1, 1].map((days) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10));
  return repeated(async () => {
    const answer = await fetch(`${url}/exports/usage.csv?from=${from}&to=${to}`, { headers });
    const text = await answer.text();
    const lines = text.split('\n').length;
    if (!answer.ok || lines < ROWS) throw new Error(`The export has ${lines} lines: ${text.slice(0, 300)}`);
  });
}

function reportUsage({ url, headers }: SluiceTarget): Work {
  const [from, to] = [-DAYS, 1].map((days) => new Date(Date.now() + days * DAY_MS).toISOString());
  const query = `{ usage(range: { from: "${from}", to: "${to}" }, interval: DAY, groupBy: [MODEL]) { total { requests } groups { model } } }`;
  return repeated(async () => {
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });
    const text = await answer.text();
    if (!answer.ok || text.includes('"errors"')) throw new Error(`The report failed: ${text.slice(0, 300)}`);
    // A dashboard asks no more often; a key has a number of points a minute.
    await pause(REPORT_PAUSE_MS);
  });
}

function repeated(step: () => Promise<void>): Work {
  return async () => {
    let [isStopped, done] = [false, 0];
    const working = (async () => {
      for (; !isStopped; done++) await step();
    })();
    // A failure is reported where it is stopped.
    working.catch(() => undefined);
    return async () => {
      isStopped = true;
      await working;
      return done;
    };
  };
}

/** Has the server create the invoices of periods that have ended. */
function invoice(target: SluiceTarget): Work {
  return async () => {
    const accounts = await storeInvoiced(target);
    const client = new Client({ connectionString: target.databaseUrl });
    await client.connect();
    await client.query("insert into pgboss.job (name, data) values ('close-invoices', '{}')");
    say('Waiting for the invoice run …');
    const isWaiting = "select from pgboss.job where name = 'close-invoices' and state < 'active'";
    while ((await client.query(isWaiting)).rowCount !== 0) await pause(20);
    return async () => {
      const { rows } = await client.query('select count(*)::int as made from invoices where account_id = any($1)', [
        accounts,
      ]);
      await client.end();
      const made = Number(rows[0]?.made);
      if (made === 0) throw new Error('The server created no invoices.');
      return made;
    };
  };
}

function subscribe({ url, headers }: SluiceTarget): Work {
  const client = fileURLToPath(new URL('subscribers-client.ts', import.meta.url));
  const key = String(headers.authorization).slice('Bearer '.length);
  return async () => {
    const watching = await start([client, url, key, String(SUBSCRIBERS), '0', '600'], /ready/);
    return async () => {
      await watching.stop();
      return 1;
    };
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
