import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../../src/errors/index.ts';
import type { KeyRecord } from '../../../../../src/gateway/keys/key-directory.ts';
import type { Budget } from '../../../../../src/gateway/keys/spend-bound.ts';
import { boundsOf, type Reservation } from '../../../../../src/gateway/limits/limit-store.ts';
import type { WorkerLimitStore } from '../../../../../src/gateway/limits/shared/worker-limit-store.ts';
import { FakeClock } from '../../../../harness/fake-clock.ts';
import { key as anyKey } from '../../../../harness/gateway.ts';
import { pipedWorker, startLimitServer, type PipedWorker } from '../../../../harness/limit-pipe.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const own: Budget = {
  id: `account:${anyKey.accountId}`,
  subject: 'account',
  accountId: anyKey.accountId,
  amountNano: 100n,
  period: 'TOTAL',
  timeZone: 'UTC',
};
const key: KeyRecord = { ...anyKey, budgets: [own] };
const narrow: KeyRecord = { ...key, limits: { ...key.limits, concurrency: 1 } };
let event = 0;

function holdOf(costNano: bigint, of = key): Reservation {
  return { eventId: `budgeted ${++event}`, at: NOON, bounds: boundsOf(of), tokens: 1, costNano };
}

async function refusal(store: WorkerLimitStore, hold: Reservation, of = key): Promise<string | null> {
  try {
    await store.reserve(of, 'openai/x', hold);
    return null;
  } catch (error) {
    if (error instanceof SluiceError) return error.code;
    throw error;
  }
}

async function opened(store: WorkerLimitStore, spentNano: bigint, at = NOON): Promise<void> {
  if (await store.open(own)) await store.add(own, spentNano, at);
}

async function start(): Promise<{
  clock: FakeClock;
  one: PipedWorker;
  another: PipedWorker;
  restarted: (slot: number) => PipedWorker;
}> {
  const clock = new FakeClock(NOON);
  const server = startLimitServer(clock);
  const [one, another] = [pipedWorker(server, 0, clock), pipedWorker(server, 1, clock)];
  return {
    clock,
    one,
    another,
    restarted: (slot) => pipedWorker(server, slot, clock),
  };
}

describe('budgets of several workers', () => {
  it('are counted by one while the others wait, and admit nothing before', async () => {
    const { one, another } = await start();
    expect(await one.store.open(own)).toBe(true);
    const waiting = another.store.open(own);
    expect(await refusal(another.store, holdOf(1n))).toBe('limits_unavailable');
    await one.store.add(own, 60n, NOON);
    // It counts what only its own journal contains.
    expect(await waiting).toBe(true);
    expect(await refusal(one.store, holdOf(30n))).toBeNull();
    await another.store.add(own, 60n, NOON);
    expect(await refusal(another.store, holdOf(11n))).toBe('insufficient_quota');
    expect(await refusal(another.store, holdOf(10n))).toBeNull();
    expect(await one.store.open(own)).toBe(false);
  });

  it('are counted by another where the first one ends before it is done', async () => {
    const { one, another } = await start();
    expect(await one.store.open(own)).toBe(true);
    const waiting = another.store.open(own);
    one.kill();
    expect(await waiting).toBe(true);
    await another.store.add(own, 60n, NOON);
    expect(await another.store.state(own)).toMatchObject({ spentNano: 60n });
  });

  it('count what is charged while they are counted, once', async () => {
    const { clock, one, another } = await start();
    await opened(one.store, 10n);
    const [before, during] = [holdOf(20n), holdOf(20n)];
    await one.store.reserve(key, 'openai/x', before);
    await one.store.reserve(key, 'openai/x', during);
    expect(await another.store.open(own)).toBe(true);
    one.store.settle(key, before, { tokens: 1, costNano: 5n });
    await one.store.state(own);
    clock.setNow(NOON + 10);
    one.store.settle(key, during, { tokens: 1, costNano: 7n });
    await one.store.state(own);
    // The rows contain what ended before.
    await another.store.add(own, 15n, NOON + 5);
    expect(await one.store.state(own)).toMatchObject({ spentNano: 22n, reservedNano: 0n });
  });

  it('count each charge of requests that a worker admitted by itself, in the period that it began in', async () => {
    const { one } = await start();
    const daily: Budget = { ...own, period: 'DAY' };
    expect(await one.store.open(daily)).toBe(true);
    await one.store.add(daily, 10n, NOON);
    const wide = { requestsPerMinute: 1e5, tokensPerMinute: 1e8, requestsPerDay: Infinity, concurrency: 1e5 };
    const [first, second] = ['first', 'second'].map((id) => ({ ...anyKey, id, limits: wide, budgets: [] }));
    if (first === undefined || second === undefined) throw new Error('no keys');
    // The first request of each is admitted by the supervisor, which lends more.
    for (const of of [first, second]) await one.store.reserve(of, 'openai/x', holdOf(0n, of));
    const before = one.sent.operations;
    const charged = [
      { of: first, at: NOON, costNano: 5n },
      { of: second, at: NOON, costNano: 7n },
      { of: first, at: NOON - 13 * 3_600_000, costNano: 1_000n },
      { of: first, at: NOON, costNano: 11n },
    ];
    for (const { of, at, costNano } of charged) {
      const hold = { ...holdOf(0n, of), at };
      expect(one.store.reserve(of, 'openai/x', hold)).toBeUndefined();
      one.store.settle(of, hold, { tokens: 1, costNano });
    }
    expect(await one.store.state(daily)).toMatchObject({ spentNano: 33n });
    // Those of a key are one operation.
    expect(one.sent.operations).toBe(before + 3);
    const later = holdOf(0n, first);
    expect(one.store.reserve(first, 'openai/x', later)).toBeUndefined();
    one.store.settle(first, later, { tokens: 1, costNano: 2n });
    expect(await one.store.state(daily)).toMatchObject({ spentNano: 35n });
  });

  it('are read by one message where several are read at a time', async () => {
    const { one } = await start();
    await opened(one.store, 10n);
    const before = one.sent.messages;
    const states = await Promise.all([one.store.state(own), one.store.state({ ...own, period: 'DAY' })]);
    expect(states).toMatchObject([{ spentNano: 10n }, null]);
    expect(one.sent.messages).toBe(before + 1);
  });

  it('count a charge exactly that is larger than the integers of JSON', async () => {
    const { one } = await start();
    await opened(one.store, 1n);
    const wide = { requestsPerMinute: 1e5, tokensPerMinute: 1e8, requestsPerDay: Infinity, concurrency: 1e5 };
    const of = { ...anyKey, limits: wide, budgets: [] };
    await one.store.reserve(of, 'openai/x', holdOf(0n, of));
    const hold = holdOf(0n, of);
    expect(one.store.reserve(of, 'openai/x', hold)).toBeUndefined();
    const costNano = 2n ** 53n + 1n;
    one.store.settle(of, hold, { tokens: 1, costNano });
    expect(await one.store.state(own)).toMatchObject({ spentNano: costNano + 1n });
  });

  it('do not forget charges that are not stored yet when they are counted', async () => {
    const { one, another } = await start();
    await opened(one.store, 10n);
    const hold = holdOf(20n);
    await one.store.reserve(key, 'openai/x', hold);
    one.store.settle(key, hold, { tokens: 1, costNano: 20n });
    await one.store.state(own);
    expect(await another.store.open(own)).toBe(true);
    await another.store.add(own, 10n, NOON + 1);
    expect(await one.store.state(own)).toMatchObject({ spentNano: 30n });
  });

  it('go on as before where one worker cannot count them', async () => {
    const { one, another } = await start();
    await opened(one.store, 10n);
    expect(await another.store.open(own)).toBe(true);
    await another.store.cancelCount(own);
    expect(await one.store.state(own)).toMatchObject({ spentNano: 10n });
  });

  it('stay open for all workers where the one that counted them did not receive the reply', async () => {
    const { one, another } = await start();
    await opened(one.store, 10n);
    expect(await refusal(one.store, holdOf(20n))).toBeNull();
    expect(await another.store.open(own)).toBe(true);
    await another.store.add(own, 10n, NOON + 1);
    await another.store.cancelCount(own);
    expect(await one.store.state(own)).toMatchObject({ spentNano: 10n, reservedNano: 20n });
  });

  it('hold what a worker that ended reserved until its journal is recovered, and release its slots at once', async () => {
    const { one, another, restarted } = await start();
    await opened(one.store, 0n);
    await opened(another.store, 0n);
    expect(await refusal(one.store, holdOf(70n, narrow), narrow)).toBeNull();
    expect(await refusal(another.store, holdOf(10n, narrow), narrow)).toBe('rate_limit_concurrency');
    one.kill();
    expect(await refusal(another.store, holdOf(31n, narrow), narrow)).toBe('insufficient_quota');
    expect(await refusal(another.store, holdOf(30n, narrow), narrow)).toBeNull();
    const next = restarted(0);
    expect(await next.store.open(own)).toBe(true);
    expect(await another.store.state(own)).toMatchObject({ spentNano: 0n, reservedNano: 100n });
    // The interrupted request is settled with estimated usage.
    await next.store.add(own, 25n, NOON + 1);
    expect(await another.store.state(own)).toMatchObject({ spentNano: 25n, reservedNano: 30n });
    expect(await refusal(next.store, holdOf(46n))).toBe('insufficient_quota');
    expect(await refusal(next.store, holdOf(45n))).toBeNull();
  });

  it('are counted by any worker once the journal of one that ended is recovered', async () => {
    const { one, another, restarted } = await start();
    await opened(one.store, 0n);
    await opened(another.store, 0n);
    const lost: string[] = [];
    another.store.onLost((accountId) => lost.push(accountId));
    expect(await refusal(one.store, holdOf(70n))).toBeNull();
    one.kill();
    expect(await another.store.open(own)).toBe(false);
    restarted(0).store.recovered();
    await expect.poll(() => lost).toEqual([own.accountId]);
    expect(await another.store.open(own)).toBe(true);
    await another.store.add(own, 25n, NOON + 1);
    expect(await another.store.state(own)).toMatchObject({ spentNano: 25n, reservedNano: 0n });
    expect(await another.store.open(own)).toBe(false);
  });

  it('release what a request reserved only when all of its budgets contain its usage', async () => {
    const { one, another, restarted } = await start();
    const ofKey: Budget = { ...own, id: `key:${key.id}`, subject: 'key' };
    const both: KeyRecord = { ...anyKey, budgets: [ofKey, own] };
    for (const store of [one.store, another.store])
      for (const budget of both.budgets) if (await store.open(budget)) await store.add(budget, 0n, NOON);
    await one.store.reserve(both, 'openai/x', holdOf(70n, both));
    one.kill();
    const next = restarted(0);
    for (const budget of both.budgets) expect(await next.store.open(budget)).toBe(true);
    await next.store.add(ofKey, 20n, NOON + 1);
    expect(await next.store.state(own)).toMatchObject({ spentNano: 0n, reservedNano: 70n });
    await next.store.add(own, 20n, NOON + 1);
    for (const budget of both.budgets)
      expect(await next.store.state(budget)).toMatchObject({ spentNano: 20n, reservedNano: 0n });
  });

  it('with other periods are refused until they are opened again', async () => {
    const { one, another } = await start();
    await opened(one.store, 0n);
    await opened(another.store, 0n);
    const daily: Budget = { ...own, period: 'DAY' };
    const lost: string[] = [];
    another.store.onLost((accountId) => lost.push(accountId));
    expect(await one.store.open(daily)).toBe(true);
    await one.store.add(daily, 3n, NOON);
    expect(await refusal(another.store, holdOf(1n))).toBe('limits_unavailable');
    expect(lost).toEqual([own.accountId]);
    expect(await refusal(another.store, holdOf(1n), { ...key, budgets: [daily] })).toBeNull();
  });
});
