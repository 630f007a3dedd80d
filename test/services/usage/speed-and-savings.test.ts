import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { MIN_OUTPUT_MS as MIN_GATEWAY_OUTPUT_MS } from '../../../src/gateway/usage/attempts/output-speed.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { MIN_OUTPUT_MS } from '../../../src/services/usage/output-speed.ts';
import { UsageReporter, type UsageReportQuery } from '../../../src/services/usage/report/usage-report.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FROM = Date.UTC(2026, 9, 5);

describeWithDatabase('output speed and cache savings', (databases) => {
  let database: Database;
  let reporter: UsageReporter;
  let store: UsageStore;

  beforeAll(async () => {
    database = await databases.open();
    reporter = new UsageReporter(database);
    store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
  });

  async function newAccount(): Promise<string> {
    const em = database.em();
    const account = em.create(Account, { name: 'Measured', timeZone: 'UTC' });
    await em.persist(account).flush();
    return account.id;
  }

  function record(account: string, hours: number, values: Partial<UsageRecord> = {}): UsageRecord {
    const at = new Date(FROM + hours * HOUR_MS).toISOString();
    const usage = { input_tokens: 1_000, output_tokens: 100, cached_tokens: 0, reasoning_tokens: 0 };
    return usageRecord({ account_id: account, began_at: at, units: null, cost_nano: '0', ...usage, ...values });
  }

  function report(account: string, query: Partial<UsageReportQuery> = {}): ReturnType<UsageReporter['report']> {
    const range = { from: new Date(FROM), to: new Date(FROM + 2 * DAY_MS) };
    const all = { interval: null, groupBy: [], latency: true, limit: 100, ...range, ...query };
    return reporter.report(account, all);
  }

  /** The filter makes a report read rows, of which each has an end user. */
  const ofRows = { filter: { endUser: 'someone' } };

  /** 100 tokens at this rate, after 500 ms. */
  const atRate = (rate: number) => ({ first_token_ms: 500, duration_ms: 500 + Math.round(100_000 / rate) });

  test('measures output speed from the first token, alike from roll-ups and rows', async () => {
    const account = await newAccount();
    const unmeasured: Partial<UsageRecord>[] = [
      // It arrives at once.
      { first_token_ms: 500, duration_ms: 500 + MIN_OUTPUT_MS - 1 },
      { first_token_ms: 500, duration_ms: 500 },
      { output_tokens: 1, ...atRate(10) },
      { streamed: false, ...atRate(10) },
      { first_token_ms: null },
      { price_version: 'cached', rates: null, ...atRate(10) },
      { status: 'failed', error_code: 'provider_error', ...atRate(10) },
    ];
    await store.store(rowsJson(unmeasured.map((values) => record(account, 1, values))));
    for (const query of [{}, ofRows]) expect((await report(account, query)).total.outputSpeed).toBeNull();
    await store.store(
      rowsJson([
        ...[10, 20, 40].map((rate, index) => record(account, index, atRate(rate))),
        record(account, 30, { first_token_ms: 500, duration_ms: 500 + MIN_OUTPUT_MS }),
      ]),
    );
    const rolledUp = await report(account, { interval: 'day' });
    expect(await report(account, { interval: 'day', ...ofRows })).toEqual(rolledUp);
    const [first, second] = rolledUp.groups.map(({ outputSpeed }) => outputSpeed);
    // 300 tokens in 17.5 s.
    expect(first?.mean).toBeCloseTo(300 / 17.5);
    expect(first?.p50).toBeGreaterThanOrEqual(20);
    expect(first?.p50).toBeLessThanOrEqual(25);
    expect(first?.p99).toBeGreaterThan(40);
    // 100 tokens in 100 ms.
    expect(second?.mean).toBe(1_000);
    expect(second?.p50).toBeGreaterThanOrEqual(1_000);
  });

  test('measures the same output in the gateway', () => {
    expect(MIN_GATEWAY_OUTPUT_MS).toBe(MIN_OUTPUT_MS);
  });

  test('adds up exactly what each cache saved, alike from roll-ups and rows', async () => {
    const account = await newAccount();
    const cached = { price_version: 'cached', rates: null } as const;
    await store.store(
      rowsJson([
        record(account, 1, { cached_tokens: 500, cache_savings_nano: '9007199254740993' }),
        record(account, 2, { cached_tokens: 500, cache_savings_nano: '1' }),
        // Writing costs more than the input.
        record(account, 3, { units: { cacheWriteTokens: 1_000 }, cache_savings_nano: '-20' }),
        record(account, 4, { cached_tokens: 500, rates: null, price_version: 'unpriced' }),
        record(account, 5, { ...cached, cached_tokens: 500, cache_savings_nano: '70' }),
        record(account, 30, { ...cached, cache_savings_nano: '5' }),
        record(account, 31, cached),
        record(account, 32),
      ]),
    );
    const rolledUp = await report(account, { interval: 'day' });
    expect(await report(account, { interval: 'day', ...ofRows })).toEqual(rolledUp);
    expect(rolledUp.total).toMatchObject({
      promptCacheRequests: 3,
      promptCacheSavingsNano: 9_007_199_254_740_974n,
      responseCacheRequests: 3,
      responseCacheSavingsNano: 75n,
    });
    expect(rolledUp.groups.map(({ responseCacheSavingsNano }) => responseCacheSavingsNano)).toEqual([70n, 5n]);
  });

  test('divides them by every dimension', async () => {
    const account = await newAccount();
    const [owner, key] = [randomUUID(), randomUUID()];
    await store.store(
      rowsJson([
        record(account, 1, { member_id: owner, api_key_id: key, cache_savings_nano: '3', ...atRate(10) }),
        record(account, 2, { model: 'openai/a', tags: { team: 'b' }, cache_savings_nano: '4' }),
      ]),
    );
    const saved = async (query: Partial<UsageReportQuery>): Promise<bigint> =>
      (await report(account, query)).total.promptCacheSavingsNano;
    expect(await saved({ filter: { memberId: owner } })).toBe(3n);
    expect(await saved({ filter: { apiKeyId: key } })).toBe(3n);
    expect(await saved({ filter: { model: 'openai/a' } })).toBe(4n);
    expect(await saved({ filter: { tag: { name: 'team', value: 'b' } } })).toBe(4n);
    const { groups } = await report(account, { groupBy: ['tag'], filter: { tagName: 'team' } });
    expect(groups.map(({ tag, promptCacheSavingsNano }) => [tag?.value, promptCacheSavingsNano])).toContainEqual([
      'b',
      4n,
    ]);
    const byKey = await report(account, { groupBy: ['key'], filter: { apiKeyId: key } });
    expect(byKey.groups[0]?.outputSpeed?.mean).toBeCloseTo(10);
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
    const counted = async (query: Partial<UsageReportQuery>): Promise<readonly unknown[]> => {
      const { total, groups } = await report(account, { latency: false, ...query });
      return [total.requests, ...groups.map(({ endUser, errorCode, requests }) => [endUser ?? errorCode, requests])];
    };
    expect(await counted({ filter: { memberId: owner } })).toEqual([2]);
    expect(await counted({ filter: { isError: true }, groupBy: ['error'] })).toEqual([1, ['provider_error', 1]]);
    expect(await counted({ filter: { isError: false } })).toEqual([2]);
    expect(await counted({ groupBy: ['endUser'] })).toEqual([3, ['ann', 2], [null, 1]]);
  });
});
