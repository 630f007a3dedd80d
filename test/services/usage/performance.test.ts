import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { InstanceStatusService } from '../../../src/services/status/instance-status.ts';
import { StatusDays } from '../../../src/services/status/status-days.ts';
import { AttemptReporter } from '../../../src/services/usage/report/attempt-report.ts';
import { PerformanceReporter } from '../../../src/services/usage/report/performance.ts';
import { UsageReporter } from '../../../src/services/usage/report/usage-report.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const NOW = Date.parse('2026-11-20T12:30:00Z');
const range = { from: new Date('2026-11-20T00:00:00Z'), to: new Date('2026-11-21T00:00:00Z') };
const attempt = (provider: string, model: string, status: number | null, error: string | null = null) => ({
  provider,
  model,
  status,
  error,
  duration_ms: 10,
});

describeWithDatabase('performance from stored attempts', (databases) => {
  let database: Database;
  let store: UsageStore;
  let reporter: PerformanceReporter;
  let accountId: string;
  const at = (time: string, more: Partial<UsageRecord>): UsageRecord =>
    usageRecord({ account_id: accountId, began_at: `2026-11-20T${time}:00.000Z`, tags: null, ...more });

  beforeAll(async () => {
    database = await databases.open();
    const em = database.em();
    const account = em.create(Account, { name: 'Measured', plan: 'free', createdAt: new Date() });
    await em.persist(account).flush();
    accountId = account.id;
    store = new UsageStore(database, (row, error) => expect.fail(`${JSON.stringify(row)} ${String(error)}`));
    reporter = new PerformanceReporter(new UsageReporter(database), new AttemptReporter(database));
    const served = { model: 'groq/b', provider: 'groq', duration_ms: 1_200, first_token_ms: 200, output_tokens: 50 };
    await store.store(
      rowsJson([
        // The first target failed, the second served.
        at('11:05', {
          ...served,
          attempts: [attempt('openai', 'a', 503, 'provider_error'), attempt('groq', 'b', 200)],
        }),
        at('11:10', {
          ...served,
          attempts: [attempt('openai', 'a', null, 'provider_timeout'), attempt('groq', 'b', 200)],
        }),
        at('12:10', { ...served, model: 'openai/a', provider: 'openai', attempts: [attempt('openai', 'a', 200)] }),
        // Neither up nor down.
        at('12:11', {
          ...served,
          attempts: [attempt('openai', 'a', 429, 'provider_error'), attempt('groq', 'b', 200)],
        }),
        // A rejection comes from a working provider.
        at('12:12', {
          ...served,
          model: 'openai/a',
          provider: 'openai',
          status: 'failed',
          error_code: 'invalid_request',
          output_tokens: 0,
          first_token_ms: null,
          attempts: [attempt('openai', 'a', 400, 'invalid_request')],
        }),
        // A response that is not streamed has no speed.
        at('12:12', {
          ...served,
          streamed: false,
          output_tokens: 9_000,
          model: 'openai/c',
          provider: 'openai',
          attempts: [attempt('openai', 'c', 200)],
        }),
        // Not sent, cancelled, of the cache, and rejected before any attempt.
        at('12:13', { ...served, status: 'failed', attempts: [attempt('openai', 'a', null, 'unsupported_parameter')] }),
        at('12:14', { ...served, status: 'aborted', attempts: [attempt('openai', 'a', 500, 'provider_error')] }),
        at('12:15', { ...served, attempts: [attempt('cache', 'a', 200)] }),
        at('12:16', { ...served, status: 'rejected', attempts: [] }),
        // Another account, with a connection of its own.
        at('12:20', {
          ...served,
          account_id: randomUUID(),
          attempts: [{ ...attempt('openai', 'a', 500, 'provider_error'), own: true }],
        }),
      ]),
    );
  });

  test('counts an attempt after which another target served as a failure of the target that failed', async () => {
    const report = await reporter.report(accountId, { model: 'openai/a' }, range);
    expect(report.total).toMatchObject({ attempts: 5, successes: 2, failures: 2, errors: 4, tokensPerSecond: 50 });
    expect(report.errors).toEqual([
      { code: 'provider_error', attempts: 2 },
      { code: 'invalid_request', attempts: 1 },
      { code: 'provider_timeout', attempts: 1 },
    ]);
    expect(report.interval).toBe('hour');
    const hours = new Map(
      report.intervals.map(({ start, ...figures }) => [start.toISOString().slice(11, 16), figures]),
    );
    expect(hours.size).toBe(24);
    expect(hours.get('11:00')).toMatchObject({ attempts: 2, successes: 0, failures: 2, requests: 0, latency: null });
    expect(hours.get('12:00')).toMatchObject({ attempts: 3, successes: 2, failures: 0, requests: 2 });
    expect(hours.get('12:00')?.latency?.mean).toBe(1_200);
    expect(report.models).toEqual([]);
  });

  test('sums the models of a provider, and nothing of another account', async () => {
    const report = await reporter.report(accountId, { provider: 'openai' }, range);
    expect(report.models).toMatchObject([
      { model: 'openai/a', attempts: 5, requests: 2 },
      { model: 'openai/c', attempts: 1, requests: 1, tokensPerSecond: null },
    ]);
    const other = await reporter.report(randomUUID(), { provider: 'openai' }, range);
    expect(other.total).toMatchObject({ attempts: 0, requests: 0 });
    expect(other.models).toEqual([]);
    const groq = await reporter.report(accountId, { provider: 'groq' }, range);
    expect(groq.total).toMatchObject({ attempts: 3, failures: 0, tokensPerSecond: 50 });
  });

  test('counts each record once, however often it is stored', async () => {
    const record = at('13:05', { attempts: [attempt('mistral', 'm', 200)] });
    await store.store(rowsJson([record]));
    await store.store(rowsJson([record]));
    const report = await reporter.report(accountId, { model: 'mistral/m' }, range);
    expect(report.total.attempts).toBe(1);
  });

  test('covers the same time for attempts and requests, in complete hours', async () => {
    const partial = { from: new Date('2026-11-20T11:20:00Z'), to: new Date('2026-11-20T12:05:00Z') };
    const report = await reporter.report(accountId, { provider: 'groq' }, partial);
    const complete = { from: new Date('2026-11-20T11:00:00Z'), to: new Date('2026-11-20T13:00:00Z') };
    expect(report).toMatchObject(complete);
    expect(report).toEqual(await reporter.report(accountId, { provider: 'groq' }, complete));
    expect(report.total).toMatchObject({ attempts: 3 });
    expect(report.intervals.map(({ attempts }) => attempts)).toEqual([2, 1]);
  });

  test('counts the first hour of attempts in the first interval where days begin at half past', async () => {
    const em = database.em();
    const account = em.create(Account, { name: 'Half past', timeZone: 'Asia/Kolkata' });
    await em.persist(account).flush();
    const own = { account_id: account.id, attempts: [attempt('mistral', 'h', 200)] };
    const days = ['2026-11-20T18:45:00.000Z', '2026-11-21T18:45:00.000Z', '2026-11-21T19:45:00.000Z'];
    await store.store(rowsJson(days.map((began_at) => at('00:00', { ...own, began_at }))));
    const report = await reporter.report(
      account.id,
      { model: 'mistral/h' },
      { from: new Date('2026-11-20T18:30:00Z'), to: new Date('2026-11-26T18:30:00Z') },
    );
    expect(report.total.attempts).toBe(3);
    expect(report.intervals).toHaveLength(6);
    // The hour of the second one begins on the first day.
    expect(report.intervals.map(({ attempts }) => attempts)).toEqual([2, 1, 0, 0, 0, 0]);
  });

  test('divides long ranges into days of the account, and refuses ranges of more than 366', async () => {
    const long = { from: new Date('2026-11-01T00:00:00Z'), to: range.to };
    const report = await reporter.report(accountId, { model: 'openai/a' }, long);
    expect([report.interval, report.intervals.length]).toEqual(['day', 20]);
    expect(report.intervals.at(-1)).toMatchObject({ attempts: 5 });
    for (const to of [long.from, new Date('2028-11-01T00:00:00Z')])
      await expect(reporter.report(accountId, { model: 'a/b' }, { from: long.from, to })).rejects.toMatchObject({
        code: 'bad_user_input',
        param: 'range',
      });
  });

  test('gives the status of the operator’s providers over 90 days, without connections of accounts', async () => {
    const clock = new FakeClock(NOW);
    const days = new StatusDays(database, clock);
    await days.update();
    await days.update();
    const status = new InstanceStatusService(database, () => ['openai', 'groq', 'idle'], clock);
    const { state, providers, capabilities, since } = await status.read();
    const of = (name: string) => providers.find((each) => each.name === name);
    expect(since).toBe('2026-08-23');
    expect(providers.map(({ name }) => name)).toEqual(['groq', 'idle', 'openai']);
    expect(of('openai')).toMatchObject({ uptime: 0.6, state: 'operational' });
    expect(of('openai')?.days).toHaveLength(90);
    expect(of('openai')?.days.at(-1)).toBe(0.6);
    expect(of('groq')).toMatchObject({ uptime: 1, state: 'operational' });
    expect(of('idle')).toMatchObject({ uptime: null, state: 'unknown' });
    expect(state).toBe('operational');
    expect(capabilities.map(({ name }) => name)).toContain('chat');
    const failing = Array.from({ length: 4 }, () =>
      at('12:25', { attempts: [attempt('idle', 'x', 500, 'provider_error')] }),
    );
    await store.store(rowsJson(failing));
    expect((await status.read()).state).toBe('operational');
    clock.advance(60_000);
    expect(await status.read()).toMatchObject({ state: 'down' });
    clock.advance(12 * 3_600_000);
    expect((await status.read()).providers.find(({ name }) => name === 'openai')?.days.slice(-2)).toEqual([0.6, null]);
    // Nothing is degraded for ever: without requests its state is unknown.
    clock.advance(3 * 3_600_000);
    expect((await status.read()).providers.every((each) => each.state === 'unknown')).toBe(true);
    const stored = () => database.query('select 1 from attempt_rollups where account_id = $1', [accountId]);
    // The longest report of performance is of 366 days.
    clock.advance(365 * 86_400_000);
    await days.removeOld();
    expect(await stored()).not.toEqual([]);
    clock.advance(2 * 86_400_000);
    await days.removeOld();
    expect(await stored()).toEqual([]);
    expect((await status.read()).providers.every(({ uptime }) => uptime === null)).toBe(true);
  });
});
