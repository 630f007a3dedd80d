import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import {
  MAX_SAMPLED_ROWS,
  MIN_SCANNED_ROWS_PER_INTERVAL,
  UsageSampler,
  type UsageSampleQuery,
} from '../../../src/services/usage/report/usage-sample.ts';
import { UsageReporter } from '../../../src/services/usage/report/usage-report.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FROM = Date.UTC(2026, 9, 5);

describeWithDatabase('a usage sample', (databases) => {
  let database: Database;
  let sampler: UsageSampler;
  let store: UsageStore;

  beforeAll(async () => {
    database = await databases.open();
    sampler = new UsageSampler(database);
    store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
  });

  async function newAccount(): Promise<string> {
    const em = database.em();
    const account = em.create(Account, { name: 'Sampled', timeZone: 'UTC' });
    await em.persist(account).flush();
    return account.id;
  }

  function record(account: string, hours: number, values: Partial<UsageRecord> = {}): UsageRecord {
    const at = new Date(FROM + hours * HOUR_MS).toISOString();
    const usage = { input_tokens: 1_000, output_tokens: 100, cached_tokens: 0, reasoning_tokens: 0 };
    return usageRecord({ account_id: account, began_at: at, units: null, cost_nano: '0', ...usage, ...values });
  }

  function sample(account: string, query: Partial<UsageSampleQuery> = {}): ReturnType<UsageSampler['sample']> {
    const range = { from: new Date(FROM), to: new Date(FROM + 2 * DAY_MS) };
    return sampler.sample(account, { ...range, interval: 'day', speed: true, caches: true, ...query });
  }

  test('measures output speed from the first token, of streamed responses that succeeded', async () => {
    const account = await newAccount();
    const speeds = [10, 20, 30, 40].map((rate, index) =>
      // 100 tokens at this rate, after 500 ms.
      record(account, index, { first_token_ms: 500, duration_ms: 500 + Math.round(100_000 / rate) }),
    );
    await store.store(
      rowsJson([
        ...speeds,
        record(account, 30, { first_token_ms: 0, duration_ms: 1_000 }),
        record(account, 5, { first_token_ms: null }),
        record(account, 6, { status: 'failed', error_code: 'provider_error', first_token_ms: 1, duration_ms: 2 }),
        record(account, 7, { status: 'rejected', first_token_ms: null }),
      ]),
    );
    const { total, intervals } = await sample(account);
    expect(total.requests).toBe(7);
    expect(total.isComplete).toBe(true);
    expect(intervals.map(({ start, requests }) => [start.toISOString(), requests])).toEqual([
      ['2026-10-05T00:00:00.000Z', 6],
      ['2026-10-06T00:00:00.000Z', 1],
    ]);
    expect(intervals[0]?.outputSpeed?.mean).toBeCloseTo(25, 0);
    expect(intervals[0]?.outputSpeed?.p50).toBeCloseTo(25, 0);
    expect(intervals[0]?.outputSpeed?.p99).toBeGreaterThan(intervals[0]?.outputSpeed?.p50 ?? Infinity);
    expect(intervals[1]?.outputSpeed).toEqual({ mean: 100, p50: 100, p95: 100, p99: 100 });
  });

  test('adds up what prompt caches saved, at the rates of each request and its length', async () => {
    const account = await newAccount();
    const rates = {
      input: '10',
      output: '20',
      cachedInput: '1',
      cacheWrite: '12',
      tiers: [{ aboveTokens: 200_000, input: '20', output: '40', cachedInput: '2', cacheWrite: '24' }],
    };
    await store.store(
      rowsJson([
        record(account, 1, { rates, input_tokens: 1_000_000 / 10, cached_tokens: 50_000 }),
        record(account, 2, { rates, input_tokens: 300_000, cached_tokens: 200_000 }),
        record(account, 3, { rates, input_tokens: 10_000, units: { cacheWriteTokens: 10_000 } }),
        record(account, 4, { rates, input_tokens: 100_000, cached_tokens: 100_000, markup_ppm: 100_000 }),
        record(account, 5, { rates: null, price_version: 'unpriced', cached_tokens: 500 }),
        record(account, 26, { rates }),
      ]),
    );
    const { total, intervals } = await sample(account);
    // 50,000 × $9, 200,000 × $18, 10,000 × −$2, 100,000 × $9 and 10%; each per million tokens.
    const saved = 450_000_000n + 3_600_000_000n - 20_000_000n + 990_000_000n;
    expect(total.promptCacheSavingsNano).toBe(saved);
    expect(total.promptCacheRequests).toBe(4);
    expect(intervals.map(({ promptCacheSavingsNano }) => promptCacheSavingsNano)).toEqual([saved, 0n]);
  });

  test('prices responses from the response cache at the latest billed rates of their model', async () => {
    const account = await newAccount();
    const cached = { price_version: 'cached', rates: null, provider: 'openai' } as const;
    await store.store(
      rowsJson([
        record(account, 1, { model: 'openai/a', rates: { input: '50', output: '50' } }),
        record(account, 2, { model: 'openai/a', rates: { input: '10', output: '20' }, markup_ppm: 100_000 }),
        record(account, 3, { model: 'openai/a', ...cached }),
        record(account, 4, { model: 'openai/a', ...cached }),
        record(account, 5, { model: 'openai/unpriced', ...cached }),
      ]),
    );
    const { total } = await sample(account, { interval: null });
    expect(total.responseCacheRequests).toBe(3);
    // Twice 1,000 × $10 and 100 × $20, with 10%.
    expect(total.responseCacheSavingsNano).toBe(26_400_000n);
    expect(total.promptCacheSavingsNano).toBe(0n);
  });

  test('applies the filter of reports, and contains no other account', async () => {
    const [account, other] = [await newAccount(), await newAccount()];
    const [owner, key] = [randomUUID(), randomUUID()];
    await store.store(
      rowsJson([
        record(account, 1, { member_id: owner, api_key_id: key, model: 'openai/a' }),
        record(account, 2, { status: 'failed', error_code: 'provider_error' }),
        record(other, 1),
      ]),
    );
    const requests = async (filter: UsageSampleQuery['filter']): Promise<number> =>
      (await sample(account, { filter: filter ?? {} })).total.requests;
    expect(await requests({})).toBe(2);
    expect(await requests({ memberId: owner })).toBe(1);
    expect(await requests({ apiKeyId: key, model: 'openai/a' })).toBe(1);
    expect(await requests({ isError: true })).toBe(1);
    expect(await requests({ errorCode: 'provider_error' })).toBe(1);
    expect(await requests({ memberId: 'nobody' })).toBe(0);
  });

  test('reads a bounded number of requests and says so', async () => {
    const account = await newAccount();
    // All in one hour of so many that each has the smallest share of the rows.
    const rows = Array.from({ length: 25 }, (_, index) => record(account, 1 + index / 100));
    await store.store(rowsJson(rows));
    const intervals = Math.ceil(MAX_SAMPLED_ROWS / 20);
    const to = new Date(FROM + intervals * HOUR_MS);
    const { total } = await sample(account, { interval: 'hour', to });
    expect(total.requests).toBe(20);
    expect(total.isComplete).toBe(false);
  });

  test('compares a bounded number of requests with a filter and says so', async () => {
    const account = await newAccount();
    // Earlier than as many others as are compared with a filter in each of so many hours.
    const rare = record(account, 1, { capability: 'embedding', model: 'openai/rare' });
    const others = Array.from({ length: MIN_SCANNED_ROWS_PER_INTERVAL }, (_, index) =>
      record(account, 1.01 + index / 1_000),
    );
    await store.store(rowsJson([rare, record(account, 2, { capability: 'embedding' }), ...others]));
    const to = new Date(FROM + 2_500 * HOUR_MS);
    const filtered = async (filter: UsageSampleQuery['filter']) =>
      (await sample(account, { interval: 'hour', to, filter: filter ?? {} })).total;
    expect(await filtered({ capability: 'embedding' })).toMatchObject({ requests: 1, isComplete: false });
    // An index has the requests of a model.
    expect(await filtered({ capability: 'embedding', model: 'openai/rare' })).toMatchObject({
      requests: 1,
      isComplete: true,
    });
    const day = await sample(account, { filter: { capability: 'embedding' } });
    expect(day.total).toMatchObject({ requests: 2, isComplete: true });
  });

  test('is of requests that a report counts by member, error code and end user alike', async () => {
    const account = await newAccount();
    const owner = randomUUID();
    await store.store(
      rowsJson([
        record(account, 1, { member_id: owner, end_user: 'ann' }),
        record(account, 2, { member_id: owner, end_user: null, status: 'failed', error_code: 'provider_error' }),
        record(account, 3, { end_user: 'ann', status: 'aborted' }),
      ]),
    );
    const report = async (query: object): Promise<readonly unknown[]> => {
      const range = { from: new Date(FROM), to: new Date(FROM + DAY_MS) };
      const all = { interval: null, groupBy: [], latency: false, limit: 10, ...range, ...query };
      const { total, groups } = await new UsageReporter(database).report(account, all);
      return [total.requests, ...groups.map(({ endUser, errorCode, requests }) => [endUser ?? errorCode, requests])];
    };
    expect(await report({ filter: { memberId: owner } })).toEqual([2]);
    expect(await report({ filter: { isError: true }, groupBy: ['error'] })).toEqual([1, ['provider_error', 1]]);
    expect(await report({ filter: { isError: false } })).toEqual([2]);
    expect(await report({ groupBy: ['endUser'] })).toEqual([3, ['ann', 2], [null, 1]]);
  });
});
