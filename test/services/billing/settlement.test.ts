import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { rateUnits } from '../../../src/catalogue/prices/decimal.ts';
import { compileRates, costNano } from '../../../src/catalogue/prices/price.ts';
import type { Database } from '../../../src/database/database.ts';
import { tokenUsage } from '../../../src/gateway/capabilities/capability.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { Ledger } from '../../../src/services/billing/ledger.ts';
import { verifyLedger } from '../../../src/services/billing/ledger-check.ts';
import { UsageExport } from '../../../src/services/usage/export/usage-export.ts';
import { UsageReporter } from '../../../src/services/usage/report/usage-report.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { arbitraryUsage, costOf } from '../usage/arbitrary-usage.ts';
import { parseCsv } from '../../harness/parse-csv.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const FROM = Date.UTC(2026, 5, 29);

describeWithDatabase('settlement', (databases) => {
  let database: Database;
  let store: UsageStore;
  let ledger: Ledger;

  beforeAll(async () => {
    database = await databases.open();
    store = new UsageStore(database, (row, error) => expect.fail(`${JSON.stringify(row)} ${String(error)}`));
    ledger = new Ledger(database);
  });

  async function reported(accountId: string): Promise<bigint> {
    const range = { from: new Date(FROM), to: new Date(FROM + 4 * 86_400_000) };
    const report = await new UsageReporter(database).report(accountId, {
      ...range,
      interval: null,
      groupBy: [],
      latency: false,
      limit: 1,
    });
    return report.total.costNano;
  }

  /** Converts a USD decimal to nano-USD. */
  const nanoOf = (usd: string): bigint => rateUnits(usd) / 1_000n;

  async function exported(accountId: string): Promise<bigint> {
    const csv = parseCsv(await text(new UsageExport(database).file('csv', { accountId })));
    return csv.reduce((sum, row) => sum + nanoOf(row.cost_usd ?? ''), 0n);
  }

  test('has equal sums in log, roll-ups, ledger and export to the nano-USD, however batches repeat and overlap', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(40), { minLength: 1, maxLength: 4 }), fc.nat(), async (cuts, seed) => {
        const accounts = [randomUUID(), randomUUID()];
        const [records = []] = fc.sample(
          fc.array(arbitraryUsage(accounts, [randomUUID(), randomUUID()], FROM), { minLength: 40, maxLength: 40 }),
          { numRuns: 1, seed },
        );
        for (const cut of cuts) await store.store(rowsJson(records.slice(cut)));
        await store.store(rowsJson(records));
        await Promise.all([store.store(rowsJson(records)), store.store(rowsJson(records.toReversed()))]);
        for (const accountId of accounts) {
          const own = records.filter((record) => record.account_id === accountId);
          const cost = costOf(own);
          const { usage, wallet } = await ledger.balances(accountId);
          expect([usage, -wallet, await reported(accountId), await exported(accountId)]).toEqual(
            Array.from({ length: 4 }, () => cost),
          );
        }
      }),
      { numRuns: 6 },
    );
    expect((await verifyLedger(database)).faults).toEqual([]);
  });

  test('equals the sum of the priced units', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const accountId = randomUUID();
        const [records = []] = fc.sample(
          fc.array(arbitraryUsage([accountId], [randomUUID()], FROM), { minLength: 20, maxLength: 20 }),
          { numRuns: 1, seed },
        );
        await store.store(rowsJson(records));
        const priced = records.reduce((sum, { rates, input_tokens: input, output_tokens: output }) => {
          return rates === null ? sum : sum + costNano(compileRates(rates), tokenUsage(input, output));
        }, 0n);
        expect((await ledger.balances(accountId)).usage).toBe(priced);
      }),
      { numRuns: 6 },
    );
  });

  test('creates one posting per account and batch, and none for free or already stored requests', async () => {
    const [paying, free] = [randomUUID(), randomUUID()];
    const costs = (account_id: string, cost_nano: string): UsageRecord => usageRecord({ account_id, cost_nano });
    const batch = [costs(paying, '5'), costs(paying, '7'), costs(free, '0')];
    await store.store(rowsJson(batch));
    await store.store(rowsJson(batch));
    const postings = await database.query(
      'select account_id, kind, reference, book, amount_nano from ledger_postings join ledger_entries using (account_id) where account_id = any($1) order by book',
      [[paying, free]],
    );
    const settlement = { account_id: paying, kind: 'settlement', reference: null };
    expect(postings).toEqual([
      { ...settlement, book: 'usage', amount_nano: '12' },
      { ...settlement, book: 'wallet', amount_nano: '-12' },
    ]);
  });

  test('is rolled back with its batch', async () => {
    const accountId = randomUUID();
    const good = usageRecord({ account_id: accountId, cost_nano: '11' });
    const rejected: unknown[] = [];
    const strict = new UsageStore(database, (row) => rejected.push(row));
    await strict.store(rowsJson([good, { ...good, event_id: randomUUID(), cost_nano: '99999999999999999999' }]));
    expect(rejected).toHaveLength(1);
    expect((await ledger.balances(accountId)).usage).toBe(11n);
    expect((await verifyLedger(database)).faults).toEqual([]);
  });

  test('accepts names of any length, and truncates them for its indexes', async () => {
    const accountId = randomUUID();
    const long = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('');
    await store.store(
      rowsJson([usageRecord({ account_id: accountId, model: long, end_user: long, tags: { [long]: long } })]),
    );
    const [row] = await database.query(
      'select length(model) as model, length(end_user) as end_user from usage_logs where account_id = $1',
      [accountId],
    );
    expect(row).toEqual({ model: 256, end_user: 256 });
  });
});
