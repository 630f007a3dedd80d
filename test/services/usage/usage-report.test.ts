import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { localDay } from '../../../src/calendar/period.ts';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { durationBounds, latencyOf } from '../../../src/services/usage/durations.ts';
import { usageDay } from '../../../src/calendar/usage-day.ts';
import { daySpans, partsOfTime, completeDays } from '../../../src/services/usage/spans.ts';
import { slotsOf, usageIntervals } from '../../../src/services/usage/report/usage-slots.ts';
import {
  UsageReporter,
  type UsageReportQuery,
  type UsageTotals,
} from '../../../src/services/usage/report/usage-report.ts';
import { UsageByKey } from '../../../src/services/usage/report/usage-by-key.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { arbitraryUsage, costOf, sumOf, requestsOf } from './arbitrary-usage.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
/** Across a change of month, and clock changes in Lord Howe (half hours) and New York. */
const FROM = Date.UTC(2026, 9, 30);
const zones = ['UTC', 'Asia/Kathmandu', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Kiritimati'];

const quarters = fc.integer({ min: 0, max: 20_000 }).map((count) => FROM + count * QUARTER_MS);

describe('roll-up intervals', () => {
  test('add up to a range, using days and at most half a day of quarter hours at each end', () => {
    const someDays = fc.array(
      fc.record({ after: fc.constantFrom(0, 0, 0, 3, 24), span: fc.constantFrom(...daySpans) }),
    );
    fc.assert(
      fc.property(quarters, quarters, quarters, someDays, (one, other, now, drawn) => {
        let end = FROM;
        const days = drawn.map(({ after, span }) => {
          const start = end + after * 3_600_000;
          end = start + span * 60_000;
          return { span, from: start, to: end };
        });
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const parts = partsOfTime(from, to, days, now);
        // How often each quarter hour is counted: its changes at the ends of parts, in their order.
        const changes = new Map<number, number>();
        const change = (at: number, by: number): void => void changes.set(at, (changes.get(at) ?? 0) + by);
        for (const part of parts) {
          change(part.from, part.sign);
          change(part.to, -part.sign);
        }
        const counted = [...changes].filter(([, by]) => by !== 0).toSorted(([a], [b]) => a - b);
        expect(counted).toEqual(
          from === to
            ? []
            : [
                [from, 1],
                [to, -1],
              ],
        );
        for (const { span, sign, from: start, to: until } of parts) {
          if (span !== 15) expect(sign).toBe(1);
          else expect([start % QUARTER_MS, until % QUARTER_MS]).toEqual([0, 0]);
          // Only complete days are read as days.
          if (span !== 15)
            expect(days.some((day) => day.from === start) && days.some((day) => day.to === until)).toBe(true);
        }
        const inDays = (quarter: number): boolean => days.some((day) => quarter >= day.from && quarter < day.to);
        const read = parts
          .filter(
            ({ span, from: start, to: until }) =>
              span === 15 && inDays(start) && start < Math.max(now, to) && until > start,
          )
          .reduce((sum, part) => sum + Math.min(part.to, Math.max(now, to)) - part.from, 0);
        expect(read).toBeLessThanOrEqual(2 * 12.5 * 3_600_000);
      }),
    );
  });

  test('include the current day as a day', () => {
    const day = { span: 1_440, from: FROM, to: FROM + DAY_MS } as const;
    const now = FROM + 20 * QUARTER_MS;
    expect(partsOfTime(FROM, now, [day], now)).toEqual([
      { ...day, sign: 1 },
      { span: 15, from: now, to: day.to, sign: -1 },
    ]);
    expect(partsOfTime(FROM, now, [day], day.to)).toEqual([{ span: 15, from: FROM, to: now, sign: 1 }]);
  });

  test('are used as days only if no other day counts requests of the same time', () => {
    const at = (hours: number, span: number) => ({ start: FROM + hours * 3_600_000, span });
    const alone = (...days: { start: number; span: number }[]) =>
      completeDays(days).map(({ from, span }) => [(from - FROM) / 3_600_000, span]);
    expect(alone(at(24, 1_440), at(0, 1_440))).toEqual([
      [0, 1_440],
      [24, 1_440],
    ]);
    // The time zone changed on the second day: the third lacks what was counted before.
    expect(alone(at(0, 1_440), at(24, 1_440), at(29, 1_440), at(53, 1_440))).toEqual([
      [0, 1_440],
      [53, 1_440],
    ]);
    // The same start with another end: the process did not know of a clock change.
    expect(alone(at(0, 1_440), at(24, 1_440), at(24, 1_500), at(49, 1_440))).toEqual([
      [0, 1_440],
      [49, 1_440],
    ]);
    expect(alone(at(0, 1_500), at(24, 1_380), at(47, 1_440), at(71, 2_880))).toEqual([[47, 1_440]]);
  });

  test('of a calendar are contiguous across clock changes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.constantFrom(...usageIntervals), quarters, (zone, interval, from) => {
        const to = from + 9 * DAY_MS + 3 * QUARTER_MS;
        const slots = slotsOf(interval, zone, from, to, 1_000) ?? [];
        expect(slots.reduce((at, slot) => (slot.from === at && slot.to > at ? slot.to : Number.NaN), from)).toBe(to);
        for (const slot of slots) {
          expect(slot.start).toBeLessThanOrEqual(slot.from);
          if (interval === 'day') expect(localDay(zone, slot.start)).toBe(localDay(zone, slot.to - 1));
        }
      }),
    );
    expect(slotsOf('hour', 'UTC', FROM, FROM + DAY_MS, 23)).toBeNull();
  });
});

describe('percentiles', () => {
  test('are within the class of their duration', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 599_999 }), { minLength: 1, maxLength: 200 }), (durations) => {
        const classOf = (duration: number): number => durationBounds.filter((bound) => bound <= duration).length;
        const counts = Array.from({ length: durationBounds.length + 1 }, () => 0);
        for (const duration of durations) counts[classOf(duration)] = (counts[classOf(duration)] ?? 0) + 1;
        const sum = durations.reduce((total, duration) => total + duration, 0);
        const latency = latencyOf(counts, BigInt(sum));
        const sorted = durations.toSorted((a, b) => a - b);
        for (const [share, found = Number.NaN] of [[0.5, latency?.p50] as const, [0.95, latency?.p95] as const]) {
          const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
          const [from, to] = [durationBounds[classOf(exact) - 1] ?? 0, durationBounds[classOf(exact)] ?? Infinity];
          expect(found).toBeGreaterThanOrEqual(from);
          expect(found).toBeLessThanOrEqual(to);
        }
        expect(latency?.mean).toBeCloseTo(sum / durations.length, 6);
      }),
    );
  });

  test('are null without data, and the lower bound in the last class', () => {
    expect(latencyOf([0, 0], 0n)).toBeNull();
    const longest = [...durationBounds.map(() => 0), 3];
    expect(latencyOf(longest, 3_000_000n)?.p99).toBe(600_000);
  });
});

describeWithDatabase('a usage report', (databases) => {
  const keys = [randomUUID(), randomUUID(), randomUUID()];
  const accounts = new Map<string, string>();
  let records: readonly UsageRecord[] = [];
  let reports: UsageReporter;
  let database: Database;

  beforeAll(async () => {
    database = await databases.open();
    reports = new UsageReporter(database);
    const em = database.em();
    for (const timeZone of zones) {
      const account = em.create(Account, { name: timeZone, timeZone });
      accounts.set(timeZone, account.id);
      em.persist(account);
    }
    await em.flush();
    const drawn = fc.sample(
      fc.array(arbitraryUsage([...accounts.values()], keys, FROM, 6), { minLength: 600, maxLength: 600 }),
      { numRuns: 1, seed: 7 },
    );
    records = (drawn[0] ?? []).map((record) => ({ ...record, ...dayOf(record) }));
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    for (let at = 0; at < records.length; at += 100) await store.store(rowsJson(records.slice(at, at + 100)));
  });

  /** As counted: by the account's day, except one day by another zone, and one by UTC. */
  function dayOf({ account_id, began_at }: UsageRecord): ReturnType<typeof usageDay> {
    const at = Date.parse(began_at);
    const own = zones.find((zone) => accounts.get(zone) === account_id);
    if (at >= FROM + 2 * DAY_MS && at < FROM + 2.5 * DAY_MS) return usageDay('Asia/Kolkata', at);
    if (at >= FROM + 4 * DAY_MS && at < FROM + 5 * DAY_MS) return null;
    return usageDay(own, at);
  }

  function recordsOf(zone: string, from: number, to: number): UsageRecord[] {
    return records.filter(({ account_id, began_at }) => {
      const at = Date.parse(began_at);
      return account_id === accounts.get(zone) && at >= from && at < to;
    });
  }

  function report(zone: string, query: Partial<UsageReportQuery>): ReturnType<UsageReporter['report']> {
    return reports.report(accounts.get(zone) ?? '', {
      from: new Date(FROM - DAY_MS),
      to: new Date(FROM + 8 * DAY_MS),
      interval: null,
      groupBy: [],
      latency: true,
      limit: 10_000,
      ...query,
    });
  }

  function countOf(some: readonly UsageRecord[]): number {
    return some.reduce((sum, record) => sum + requestsOf(record), 0);
  }

  function expectSums(found: UsageTotals | undefined, expected: readonly UsageRecord[]): void {
    expect(found).toMatchObject({
      requests: countOf(expected),
      errors: countOf(expected.filter(({ status }) => status === 'failed' || status === 'interrupted')),
      inputTokens: sumOf(expected, 'input_tokens'),
      outputTokens: sumOf(expected, 'output_tokens'),
      costNano: costOf(expected),
    });
    const timed = expected.filter((record) => requestsOf(record) > 0);
    if (timed.length > 0) expect(found?.duration?.mean).toBeCloseTo(sumOf(timed, 'duration_ms') / timed.length, 3);
    else expect(found?.duration).toBeNull();
  }

  test('sums exactly the requests in its range, for any quarter hours', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 6 * 96 }),
        fc.integer({ min: 1, max: 6 * 96 }),
        async (zone, start, length) => {
          const from = FROM + start * QUARTER_MS;
          const to = from + length * QUARTER_MS;
          const { total } = await report(zone, { from: new Date(from), to: new Date(to) });
          expectSums(total, recordsOf(zone, from, to));
        },
      ),
      { numRuns: 15 },
    );
  });

  test.each(zones)("counts days by the account's calendar: %s", async (zone) => {
    const own = recordsOf(zone, 0, Infinity);
    const { groups, total, timeZone } = await report(zone, { interval: 'day' });
    expect(timeZone).toBe(zone);
    expectSums(total, own);
    const byDay = Map.groupBy(own, ({ began_at }) => localDay(zone, Date.parse(began_at)));
    expect(groups.map(({ start }) => localDay(zone, start?.getTime() ?? 0))).toEqual([...byDay.keys()].toSorted());
    for (const group of groups) expectSums(group, byDay.get(localDay(zone, group.start?.getTime() ?? 0)) ?? []);
  });

  test.each([
    ['key', ({ api_key_id }: UsageRecord) => [api_key_id]],
    ['model', ({ model }: UsageRecord) => [model]],
    ['provider', ({ provider }: UsageRecord) => [provider]],
    ['capability', ({ capability }: UsageRecord) => [capability]],
    ['member', ({ member_id }: UsageRecord) => [String(member_id)]],
    ['tag', ({ tags }: UsageRecord) => Object.entries(tags ?? {}).map((tag) => tag.join(':'))],
  ] as const)('is grouped by %s, the dearest first', async (dimension, namesOf) => {
    const own = recordsOf('UTC', 0, Infinity);
    const { groups } = await report('UTC', { groupBy: [dimension] });
    const expected = new Map<string, UsageRecord[]>();
    for (const record of own)
      for (const name of namesOf(record)) expected.set(name, [...(expected.get(name) ?? []), record]);
    const named = groups.map((group) => {
      const { apiKeyId, memberId, tag } = group;
      const names = { ...group, key: apiKeyId, member: memberId, tag: tag && `${tag.name}:${tag.value}` };
      return [String(names[dimension]), group] as const;
    });
    expect(named.map(([name]) => name).toSorted()).toEqual([...expected.keys()].toSorted());
    for (const [name, group] of named) expectSums(group, expected.get(name) ?? []);
    const costs = groups.map(({ costNano }) => costNano);
    expect(costs).toEqual(costs.toSorted((a, b) => (a < b ? 1 : -1)));
  });

  test('combines dimensions with time, and applies filters', async () => {
    const model = 'openai/gpt-5.5';
    const own = recordsOf('America/New_York', 0, Infinity).filter((record) => record.model === model);
    const query = { interval: 'hour', groupBy: ['key', 'tag'], filter: { model, tagName: 'team' } } as const;
    const { groups, total } = await report('America/New_York', query);
    const tagged = own.filter(({ tags }) => tags?.team !== undefined);
    expectSums(total, tagged);
    expect(groups.reduce((sum, { requests }) => sum + requests, 0)).toBe(countOf(tagged));
    expect(new Set(groups.map(({ tag }) => tag?.name))).toEqual(new Set(['team']));
    expect(new Set(groups.map(({ start }) => (start?.getTime() ?? 1) % 3_600_000))).toEqual(new Set([0]));
  });

  test('indicates that groups were omitted', async () => {
    const some = await report('UTC', { groupBy: ['key', 'model'], limit: 2 });
    expect([some.groups.length, some.truncated]).toEqual([2, true]);
    const all = await report('UTC', { groupBy: ['key', 'model'] });
    expect([all.groups.length, all.truncated]).toEqual([9, false]);
    expect(some.groups).toEqual(all.groups.slice(0, 2));
  });

  test.each([
    ['roll-ups', {}],
    ['the log', { status: 'succeeded' as const }],
  ])('keeps the groups with the highest cost of each interval at a limit, from %s', async (_name, filter) => {
    const query = { interval: 'day', groupBy: ['key', 'model'], filter } as const;
    const all = await report('UTC', query);
    const byDay = [...Map.groupBy(all.groups, ({ start }) => start?.getTime()).values()];
    expect(byDay.length).toBeGreaterThan(3);
    const firstTwo = byDay.flatMap((groups) => groups.slice(0, 2));
    expect(firstTwo.length).toBeLessThan(all.groups.length);
    const some = await report('UTC', { ...query, limit: firstTwo.length });
    expect(some.truncated).toBe(true);
    expect(some.groups).toEqual(firstTwo);
    const few = await report('UTC', { ...query, limit: 2 });
    expect(few.groups).toEqual(byDay.slice(-2).map(([first]) => first));
  });

  test('is empty for another account and for a time without requests', async () => {
    const empty = { requests: 0, costNano: 0n, duration: null, firstToken: null };
    const query = {
      from: new Date(FROM),
      to: new Date(FROM + DAY_MS),
      interval: 'day',
      groupBy: [],
      latency: true,
      limit: 5,
    } as const;
    const nobody = await reports.report(randomUUID(), query);
    expect(nobody).toMatchObject({ total: empty, groups: [], timeZone: 'UTC' });
    const before = await report('UTC', { from: new Date('2026-01-01'), to: new Date('2026-01-02') });
    expect(before.total).toMatchObject(empty);
  });

  test('counts a current request as today', async () => {
    const em = database.em();
    const account = em.create(Account, { name: 'Now', timeZone: 'Asia/Kathmandu' });
    await em.persist(account).flush();
    const now = new Date();
    const record = usageRecord({ account_id: account.id, began_at: now.toISOString(), cost_nano: '7' });
    const yesterday = usageRecord({
      account_id: account.id,
      began_at: new Date(now.getTime() - 25 * 3_600_000).toISOString(),
    });
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    await store.store(rowsJson([record, yesterday]));
    expect(await reports.today(account.id, now)).toMatchObject({ requests: 1, costNano: 7n });
  });

  test('has a group for a cost that is billed on another day than its request', async () => {
    const em = database.em();
    const account = em.create(Account, { name: 'Late', timeZone: 'UTC' });
    await em.persist(account).flush();
    const [apiKeyId = ''] = keys;
    const at = (time: number, values: Partial<UsageRecord>): UsageRecord =>
      usageRecord({
        account_id: account.id,
        api_key_id: apiKeyId,
        began_at: new Date(time).toISOString(),
        ...usageDay('UTC', time),
        ...values,
      });
    const midnight = FROM + DAY_MS;
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    await store.store(
      rowsJson([
        at(midnight - 60_000, { cost_nano: '0', units: null }),
        at(midnight + 60_000, { cost_nano: '7', units: { requests: 0 }, first_token_ms: null }),
        at(midnight + 60_000, { cost_nano: '0', units: { requests: 0 }, model: 'sandbox/video', first_token_ms: null }),
      ]),
    );
    const query = { from: new Date(FROM), to: new Date(midnight + DAY_MS), interval: 'day', latency: true } as const;
    const expected = [
      { start: new Date(FROM), requests: 1, costNano: 0n },
      { start: new Date(midnight), requests: 0, costNano: 7n },
    ];
    const byDay = await reports.report(account.id, { ...query, groupBy: [], limit: 10 });
    expect(byDay.groups).toMatchObject(expected);
    const ofKeys = new UsageByKey(database);
    const owner = { id: account.id, timeZone: 'UTC' };
    const [ofKey] = await ofKeys.reports(owner, [apiKeyId], query);
    expect(ofKey?.groups).toMatchObject(expected);
    const second = { ...query, from: new Date(midnight), interval: null };
    const [later] = await ofKeys.reports(owner, [apiKeyId], second);
    expect(later?.total).toMatchObject({ requests: 0, costNano: 7n });
    const byModel = await reports.report(account.id, { ...second, groupBy: ['model'], limit: 10 });
    expect(byModel.groups).toMatchObject([{ model: 'sandbox/chat', requests: 0, costNano: 7n }]);
    const ofLog = { ...second, groupBy: ['model'], limit: 10, filter: { status: 'succeeded' } } as const;
    expect((await reports.report(account.id, ofLog)).groups).toMatchObject(byModel.groups);
    // Parts of a day whose usage is elsewhere sum to zero, and are not groups.
    const rest = { ...query, from: new Date(midnight + QUARTER_MS) };
    expect((await reports.report(account.id, { ...rest, groupBy: [], limit: 10 })).groups).toEqual([]);
  });

  test.each([
    ['whose end is not after its beginning', { to: new Date(FROM - 2 * DAY_MS) }],
    ['before there were any requests', { from: new Date(-8.64e15) }],
    ['without an end', { to: new Date(8.64e15) }],
    ['of too many hours', { interval: 'hour', to: new Date(FROM + 200 * DAY_MS) }],
  ] as const)('refuses a range %s', async (_what, query) => {
    await expect(report('UTC', query)).rejects.toMatchObject({ code: 'bad_user_input', param: 'range' });
  });
});
