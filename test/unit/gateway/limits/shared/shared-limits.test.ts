import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../../src/errors/index.ts';
import type { KeyRecord, RateLimits } from '../../../../../src/gateway/keys/key-directory.ts';
import { boundsOf, type Reservation } from '../../../../../src/gateway/limits/limit-store.ts';
import type { WorkerLimitStore } from '../../../../../src/gateway/limits/shared/worker-limit-store.ts';
import { FakeClock } from '../../../../harness/fake-clock.ts';
import { key as anyKey } from '../../../../harness/gateway.ts';
import { pipedWorker, startLimitServer } from '../../../../harness/limit-pipe.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const wide: RateLimits = {
  requestsPerMinute: 100_000,
  tokensPerMinute: 100_000_000,
  requestsPerDay: Infinity,
  concurrency: 100_000,
};
let event = 0;

function keyOf(limits: Partial<RateLimits>): KeyRecord {
  return { ...anyKey, limits: { ...wide, ...limits } };
}

function holdOf(key: KeyRecord, tokens = 1): Reservation {
  return { eventId: `shared ${++event}`, at: NOON, bounds: boundsOf(key), tokens, costNano: 0n };
}

/** The code of the refusal; null for none. */
async function refusal(store: WorkerLimitStore, key: KeyRecord, hold: Reservation): Promise<string | null> {
  try {
    await store.reserve(key, 'openai/x', hold);
    return null;
  } catch (error) {
    if (error instanceof SluiceError) return error.code;
    throw error;
  }
}

/** Lets all messages arrive, and replies to replies. */
async function arrived(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function start(workers = 2) {
  const clock = new FakeClock(NOON);
  const server = startLimitServer(clock);
  return { clock, server, workers: Array.from({ length: workers }, (_each, slot) => pipedWorker(server, slot, clock)) };
}

describe('limits of several workers', () => {
  it.each([
    ['requests', { requestsPerMinute: 10 }, 'rate_limit_requests'],
    ['tokens', { tokensPerMinute: 10 }, 'rate_limit_tokens'],
    ['open requests', { concurrency: 10 }, 'rate_limit_concurrency'],
  ] as const)(
    'admit exactly ten of two hundred concurrent requests with a limit of ten %s',
    async (_name, limits, code) => {
      for (let round = 0; round < 100; round++) {
        const { workers } = start(2 + (round % 3));
        const keys = workers.map(() => keyOf(limits));
        const codes = await Promise.all(
          Array.from({ length: 200 }, (_each, at) => {
            const place = at % workers.length;
            const [worker, key] = [workers[place], keys[place]];
            if (worker === undefined || key === undefined) throw new Error('no such worker');
            return refusal(worker.store, key, holdOf(key));
          }),
        );
        expect(codes.filter((each) => each === null)).toHaveLength(10);
        expect(codes.filter((each) => each === code)).toHaveLength(190);
      }
    },
  );

  it('admit exactly as many as a limit has room for, also while leases of it are out', async () => {
    const arrivals = fc.array(
      fc.record({ worker: fc.nat(2), count: fc.integer({ min: 1, max: 80 }), waits: fc.boolean() }),
      {
        minLength: 10,
        maxLength: 60,
      },
    );
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 5, max: 1_500 }), async (all, limit) => {
        const { workers } = start(3);
        const key = keyOf({ requestsPerMinute: limit });
        let asked = 0;
        let admitted = 0;
        const pending: Promise<void>[] = [];
        for (const { worker, count, waits } of all) {
          const store = workers[worker]?.store;
          if (store === undefined) continue;
          for (let each = 0; each < count; each++) {
            asked++;
            pending.push(refusal(store, key, holdOf(key)).then((code) => void (code === null && admitted++)));
          }
          if (waits) await Promise.all(pending.splice(0));
        }
        await Promise.all(pending);
        expect(admitted).toBe(Math.min(asked, limit));
      }),
      { numRuns: 60 },
    );
  });

  it('never admit more than a full bucket and its refill, whatever is lent, returned and settled when', async () => {
    const steps = fc.array(
      fc.record({
        wait: fc.integer({ min: 0, max: 3_000 }),
        worker: fc.nat(1),
        tokens: fc.integer({ min: 1, max: 200 }),
        used: fc.integer({ min: 0, max: 200 }),
        ends: fc.boolean(),
        count: fc.integer({ min: 1, max: 40 }),
      }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { clock, workers } = start(2);
        const key = keyOf({ requestsPerMinute: 600, tokensPerMinute: 30_000, concurrency: 300 });
        const open: { hold: Reservation; store: WorkerLimitStore }[] = [];
        let requests = 0;
        let tokens = 0;
        for (const step of all) {
          clock.advance(step.wait);
          clock.setNow(clock.now() + step.wait);
          const store = workers[step.worker]?.store;
          if (store === undefined) continue;
          for (let each = 0; each < step.count; each++) {
            const hold = holdOf(key, step.tokens);
            if ((await refusal(store, key, hold)) !== null) continue;
            requests++;
            tokens += step.tokens;
            open.push({ hold, store });
          }
          if (step.ends)
            for (const { hold, store: own } of open.splice(0, step.count)) {
              const used = Math.min(step.used, hold.tokens);
              tokens -= hold.tokens - used;
              own.settle(key, hold, { tokens: used, costNano: 0n });
            }
          expect(open.length).toBeLessThanOrEqual(300);
          const minutes = (clock.now() - NOON) / 60_000;
          expect(requests).toBeLessThanOrEqual(600 + 600 * minutes + 1e-6);
          expect(tokens).toBeLessThanOrEqual(30_000 + 30_000 * minutes + 1e-6);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('admit most requests without a message where much is left', async () => {
    const { workers } = start(2);
    const [worker] = workers;
    const key = keyOf({});
    let synchronous = 0;
    for (let request = 0; request < 2_000; request++) {
      const hold = holdOf(key, 10);
      const reserving = worker?.store.reserve(key, 'openai/x', hold);
      if (reserving === undefined) synchronous++;
      await reserving;
      worker?.store.settle(key, hold, { tokens: 7, costNano: 0n });
    }
    expect(synchronous).toBeGreaterThan(1_900);
    expect(worker?.sent.messages).toBeLessThan(50);
    expect(worker?.store.view(key)).toMatchObject({
      remainingRequests: 98_000,
      remainingTokens: 100_000_000 - 14_000,
    });
  });

  it('release the slots of requests that outlast their lease', async () => {
    const { workers } = start(2);
    const [one, another] = workers;
    const key = keyOf({ concurrency: 400 });
    const holds = Array.from({ length: 400 }, () => holdOf(key));
    for (const hold of holds) expect(one && (await refusal(one.store, key, hold))).toBeNull();
    expect(another && (await refusal(another.store, key, holdOf(key)))).toBe('rate_limit_concurrency');
    for (const hold of holds) one?.store.settle(key, hold, { tokens: 1, costNano: 0n });
    await arrived();
    for (const hold of holds) expect(another && (await refusal(another.store, key, hold))).toBeNull();
    expect(one && (await refusal(one.store, key, holdOf(key)))).toBe('rate_limit_concurrency');
  });

  it('are sent in one message per turn', async () => {
    const { workers } = start(1);
    const [worker] = workers;
    const key = keyOf({ requestsPerMinute: 40 });
    const holds = Array.from({ length: 20 }, () => holdOf(key));
    await Promise.all(holds.map((hold) => worker?.store.reserve(key, 'openai/x', hold)));
    expect(worker?.sent).toEqual({ messages: 1, operations: 22 });
    for (const hold of holds) worker?.store.settle(key, hold, { tokens: 1, costNano: 0n });
    await arrived();
    expect(worker?.sent).toEqual({ messages: 2, operations: 42 });
  });

  it('are returned when no request uses them for a while', async () => {
    const { clock, workers } = start(2);
    const [one, another] = workers;
    // Of a day: hardly anything is refilled within this test.
    const key = keyOf({ requestsPerDay: 1_000 });
    await one?.store.reserve(key, 'openai/x', holdOf(key));
    await another?.store.reserve(key, 'openai/x', holdOf(key));
    expect(another?.store.view(key).remainingRequests).toBeLessThan(998);
    for (let second = 0; second < 3; second++) {
      clock.advance(1_000);
      await arrived();
    }
    await another?.store.reserve(key, 'openai/x', holdOf(key));
    expect(another?.store.view(key).remainingRequests).toBe(997);
  });

  it('refuse with 503 while the supervisor is gone', async () => {
    const { workers } = start(1);
    const [worker] = workers;
    const key = keyOf({ requestsPerMinute: 20 });
    const asked = worker && refusal(worker.store, key, holdOf(key));
    worker?.kill();
    expect(await asked).toBe('limits_unavailable');
  });

  it('count the requests of a worker that ended, and release their slots at once', async () => {
    const { server, clock, workers } = start(2);
    const [one, another] = workers;
    const key = keyOf({ concurrency: 5, requestsPerMinute: 9 });
    for (let request = 0; request < 5; request++) await one?.store.reserve(key, 'openai/x', holdOf(key));
    expect(another && (await refusal(another.store, key, holdOf(key)))).toBe('rate_limit_concurrency');
    one?.kill();
    for (let request = 0; request < 4; request++)
      expect(another && (await refusal(another.store, key, holdOf(key)))).toBeNull();
    expect(another && (await refusal(another.store, key, holdOf(key)))).toBe('rate_limit_requests');
    const next = pipedWorker(server, 0, clock);
    expect(await refusal(next.store, key, holdOf(key))).toBe('rate_limit_requests');
  });

  it('are refused in time where a worker does not return its lease', async () => {
    const { clock, workers } = start(2);
    const [one, another] = workers;
    const key = keyOf({ requestsPerMinute: 200 });
    await one?.store.reserve(key, 'openai/x', holdOf(key));
    one?.pause();
    const codes = Array.from({ length: 200 }, () => another && refusal(another.store, key, holdOf(key)));
    await arrived();
    clock.advance(1_000);
    const refused = (await Promise.all(codes)).filter((code) => code !== null);
    expect(new Set(refused)).toEqual(new Set(['rate_limit_requests']));
    // What the worker was lent counts as used.
    expect(refused.length).toBeGreaterThan(1);
  });
});
