import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { temporaryDataDir } from '../../harness/databases.ts';
import { parseCsv } from '../../harness/parse-csv.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const sluice = fileURLToPath(new URL('../../../dist/cli/sluice.js', import.meta.url));
const [first, second] = [randomUUID(), randomUUID()];
let place: Awaited<ReturnType<typeof temporaryDataDir>>;

beforeAll(async () => {
  place = await temporaryDataDir();
  await withDatabase(async (database) => {
    const em = database.em();
    em.persist(em.create(Account, { id: first, name: 'First', createdAt: new Date(0) }));
    em.persist(em.create(Account, { id: second, name: 'Second' }));
    await em.flush();
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    const at = (began_at: string, account_id: string) => usageRecord({ began_at, account_id, cost_nano: '1500000001' });
    await store.store(
      rowsJson([
        at('2026-11-01T00:00:00.000Z', first),
        at('2026-11-02T00:00:00.000Z', first),
        at('2026-11-03T00:00:00.000Z', second),
      ]),
    );
  });
});
afterAll(() => place.remove());

async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const database = await openDatabase(place.options);
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

async function run(...args: string[]) {
  const child = spawn(process.execPath, [sluice, ...args], {
    cwd: place.options.dataDir,
    env: { PATH: process.env.PATH, SLUICE_DATA_DIR: place.options.dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: Number(code), out, err };
}

describe('sluice export usage', () => {
  it('writes the log of the oldest account, or of one that is named', async () => {
    const { code, out, err } = await run('export', 'usage');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(parseCsv(out).map((row) => [row.created_at, row.cost_usd])).toEqual([
      ['2026-11-01T00:00:00.000Z', '1.500000001'],
      ['2026-11-02T00:00:00.000Z', '1.500000001'],
    ]);
    const other = await run('export', 'usage', '--account', second, '--format', 'jsonl');
    expect(JSON.parse(other.out)).toMatchObject({ created_at: '2026-11-03T00:00:00.000Z', cost_usd: '1.500000001' });
  });

  it('writes a part of it, into a file', async () => {
    const file = join(place.options.dataDir, 'part.parquet');
    const { code, out } = await run('export', 'usage', '--format=parquet', '--from=2026-11-02', '--output', file);
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(readFileSync(file).subarray(-4).toString()).toBe('PAR1');
    const csv = await run('export', 'usage', '--to', '2026-11-01T00:00:00.001Z');
    expect(parseCsv(csv.out)).toHaveLength(1);
  });

  it.each([
    [['export'], 'Usage:'],
    [['export', 'invoices'], 'Usage:'],
    [['export', 'usage', '--format', 'xlsx'], 'A format is csv, jsonl, parquet.'],
    [['export', 'audit', '--format', 'parquet'], 'A format is csv, jsonl.'],
    [['export', 'account', '--from', '2026-11-01'], 'An account is exported whole'],
    [['export', 'usage', '--from', 'monday'], 'A time is a day or a moment'],
    [['export', 'usage', '--account', "x' or true"], 'An account’s id is a UUID.'],
    [['ledger'], 'Usage:'],
    [['ledger', 'mend'], 'Usage:'],
  ])('refuses %j', async (args, told) => {
    const { code, err } = await run(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(told)]);
  });

  it.each(['export', 'ledger'])('explains %s', async (command) => {
    expect(await run(command, '--help')).toMatchObject({ code: 0, out: expect.stringContaining(`sluice ${command}`) });
  });
});

describe('sluice export', () => {
  it('writes all that an account holds, and tells its audit log of that', async () => {
    const { code, out, err } = await run('export', 'account');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line): { type: string } => JSON.parse(line));
    expect(Map.groupBy(lines, ({ type }) => type).get('usage')).toHaveLength(2);
    const audit = await run('export', 'audit');
    expect(parseCsv(audit.out)).toEqual(
      expect.arrayContaining([expect.objectContaining({ action: 'account.exported', actor_kind: 'cli' })]),
    );
    const other = await run('export', 'audit', '--account', second, '--format', 'jsonl');
    expect(other.out).not.toContain('account.exported');
  });
});

describe('sluice ledger check', () => {
  it('tells what agrees, and then what does not', async () => {
    expect(await run('ledger', 'check')).toEqual({
      code: 0,
      out: 'The ledger agrees: 2 postings sum to zero, and the usage of 2 accounts cost 4.500000003 USD by ledger, roll-ups and log.\n',
      err: '',
    });
    await withDatabase(async (database) => {
      await database.query('update ledger_balances set amount_nano = amount_nano + 1 where account_id = $1', [first]);
    });
    const { code, out } = await run('ledger', 'check');
    expect(code).toBe(1);
    expect(out).toContain(`WRONG: a balance is the sum of its entries: account ${first}: 3.000000003 USD in place of`);
  });
});
