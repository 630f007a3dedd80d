import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/errors/index.ts';
import type { KeyRecord, RateLimits } from '../../src/gateway/keys/key-directory.ts';
import { budgetId } from '../../src/gateway/limits/budget.ts';
import type { Budget, BudgetSubject } from '../../src/gateway/keys/spend-bound.ts';
import { type BudgetStore, type Reservation, type LimitStore, boundsOf } from '../../src/gateway/limits/limit-store.ts';
import { FakeClock } from './fake-clock.ts';
import { key as anyKey } from './gateway.ts';

type Store = LimitStore & BudgetStore;

/** A store that knows of nothing yet, by that clock: its wall time counts, and its timers need not run. */
export type MakeStore = (clock: FakeClock) => Store | Promise<Store>;

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-11-21T12:00:00Z');
let event = 0;

function keyOf(limits: Partial<RateLimits>): KeyRecord {
  return {
    ...anyKey,
    limits: {
      requestsPerMinute: 1_000,
      tokensPerMinute: 1_000_000,
      requestsPerDay: Infinity,
      concurrency: 1_000,
      ...limits,
    },
  };
}

function budget(amount: bigint, subject: BudgetSubject = 'key', period: Budget['period'] = 'DAY'): Budget {
  const { accountId, id: keyId, memberId } = anyKey;
  const id = budgetId(subject, { accountId, keyId, memberId });
  return { id, subject, accountId, amountNano: amount, period, timeZone: 'UTC' };
}

function keyWith(...budgets: readonly Budget[]): KeyRecord {
  return { ...anyKey, limits: { ...anyKey.limits, concurrency: 1_000, requestsPerMinute: 100_000 }, budgets };
}

function holdOf(costNano: bigint, at = NOON, tokens = 1, key = keyWith()): Reservation {
  event++;
  return { eventId: String(event), at, bounds: boundsOf(key), tokens, costNano };
}

async function refused(store: Store, key: KeyRecord, hold: Reservation): Promise<string | null> {
  return (await refusal(store, key, hold))?.code ?? null;
}

async function reserve(store: Store, key: KeyRecord, tokens: number): Promise<SluiceError | null> {
  return refusal(store, key, holdOf(0n, NOON, tokens, key));
}

async function refusal(store: Store, key: KeyRecord, hold: Reservation): Promise<SluiceError | null> {
  try {
    await store.reserve(key, 'openai/x', hold);
    return null;
  } catch (error) {
    if (error instanceof SluiceError) return error;
    throw error;
  }
}

async function opened(store: Store, each: Budget): Promise<void> {
  if (await store.open(each)) await store.add(each, 0n, NOON);
}

async function sums(store: Store, each: Budget): Promise<{ spentNano: bigint; reservedNano: bigint }> {
  const state = await store.state(each);
  expect(state).not.toBeNull();
  return { spentNano: state?.spentNano ?? -1n, reservedNano: state?.reservedNano ?? -1n };
}

/** Whoever settles does not wait for a store outside; what is asked of it next comes after. */
async function heard(store: Store): Promise<void> {
  await store.state(budget(0n));
}

/** What holds of every limit store. */
export function limitStoreContract(name: string, make: MakeStore, runs = 100): void {
  describe(`limits ${name}`, () => {
    it('never admit more than a full bucket and its refill, whatever comes when', async () => {
      const steps = fc.array(
        fc.record({ wait: fc.integer({ min: 0, max: 5_000 }), tokens: fc.integer({ min: 1, max: 300 }) }),
        { maxLength: 200 },
      );
      await fc.assert(
        fc.asyncProperty(steps, async (arrivals) => {
          const clock = new FakeClock(1_000_000);
          const start = clock.now();
          const key = keyOf({ requestsPerMinute: 60, tokensPerMinute: 1_000 });
          const store = await make(clock);
          let requests = 0;
          let tokens = 0;
          for (const arrival of arrivals) {
            clock.setNow(clock.now() + arrival.wait);
            if ((await reserve(store, key, arrival.tokens)) === null) {
              requests++;
              tokens += arrival.tokens;
            }
            const minutes = (clock.now() - start) / 60_000;
            expect(requests).toBeLessThanOrEqual(60 + 60 * minutes + 1e-6);
            expect(tokens).toBeLessThanOrEqual(1_000 + 1_000 * minutes + 1e-6);
            const view = store.view(key);
            expect(view.remainingRequests).toBeGreaterThanOrEqual(0);
            expect(view.remainingTokens).toBeGreaterThanOrEqual(0);
          }
        }),
        { numRuns: runs },
      );
    });

    it('admit again exactly when the refusal said', async () => {
      const clock = new FakeClock(0);
      const key = keyOf({ requestsPerMinute: 3 });
      const store = await make(clock);
      for (let request = 0; request < 3; request++) expect(await reserve(store, key, 1)).toBeNull();
      const refused = await reserve(store, key, 1);
      expect(refused).toMatchObject({ code: 'rate_limit_requests', retryAfterMs: 20_000 });
      clock.setNow(clock.now() + (refused?.retryAfterMs ?? 0) - 1);
      expect(await reserve(store, key, 1)).not.toBeNull();
      clock.setNow(clock.now() + 1);
      expect(await reserve(store, key, 1)).toBeNull();
    });

    it('take nothing when one of them refuses', async () => {
      const key = keyOf({ requestsPerMinute: 10, tokensPerMinute: 100 });
      const store = await make(new FakeClock(0));
      await reserve(store, key, 90);
      const before = store.view(key);
      expect(await reserve(store, key, 20)).toMatchObject({ code: 'rate_limit_tokens' });
      expect(store.view(key)).toEqual(before);
    });

    it('give back what an answer did not use, and take what it used too much', async () => {
      const key = keyOf({ tokensPerMinute: 1_000 });
      const store = await make(new FakeClock(0));
      await reserve(store, key, 600);
      store.settle(key, holdOf(0n, NOON, 600, key), { tokens: 100, costNano: 0n });
      await heard(store);
      expect(store.view(key).remainingTokens).toBe(900);
      await reserve(store, key, 100);
      store.settle(key, holdOf(0n, NOON, 100, key), { tokens: 5_000, costNano: 0n });
      await heard(store);
      expect(store.view(key).remainingTokens).toBe(0);
      expect(await reserve(store, key, 1)).toMatchObject({ code: 'rate_limit_tokens', retryAfterMs: 60_060 });
    });

    it('refuse for good what could never fit', async () => {
      expect(await reserve(await make(new FakeClock(0)), keyOf({ tokensPerMinute: 100 }), 101)).toMatchObject({
        code: 'tokens_above_limit',
        retryAfterMs: undefined,
      });
    });

    it('count a day’s requests too', async () => {
      const clock = new FakeClock(0);
      const key = keyOf({ requestsPerDay: 2 });
      const store = await make(clock);
      expect([await reserve(store, key, 1), await reserve(store, key, 1)]).toEqual([null, null]);
      expect((await reserve(store, key, 1))?.message).toContain('requests per day (RPD): Limit 2, Used 2');
      expect(store.view(key)).toMatchObject({ limitRequests: 2, remainingRequests: 0 });
      clock.setNow(clock.now() + 12 * 3_600_000);
      expect(await reserve(store, key, 1)).toBeNull();
    });

    it('survive a clock that steps back', async () => {
      const clock = new FakeClock(1_000_000);
      const key = keyOf({ requestsPerMinute: 1 });
      const store = await make(clock);
      await reserve(store, key, 1);
      clock.setNow(clock.now() - 500_000);
      expect(await reserve(store, key, 1)).not.toBeNull();
    });
  });

  describe(`budgets ${name}`, () => {
    it('admit as many at once as they have room for, and more when less was used', async () => {
      const own = budget(10n * 1_000n);
      const store = await make(new FakeClock(NOON));
      await opened(store, own);
      const key = keyWith(own);
      const holds = Array.from({ length: 200 }, () => holdOf(1_000n));
      const codes = await Promise.all(holds.map((hold) => refused(store, key, hold)));
      const admitted = holds.filter((_hold, at) => codes[at] === null);
      expect(admitted).toHaveLength(10);
      for (const hold of admitted) store.settle(key, hold, { tokens: 1, costNano: 400n });
      expect(await store.state(own)).toMatchObject({ spentNano: 4_000n, reservedNano: 0n });
      const again = await Promise.all(holds.map(() => refused(store, key, holdOf(1_000n))));
      expect(again.filter((code) => code === null)).toHaveLength(6);
    });

    it('admit exactly ten of two hundred at once that have room for ten, a hundred times over', async () => {
      const own = budget(10_000n, 'account', 'TOTAL');
      const store = await make(new FakeClock(NOON));
      const key = keyWith(own);
      for (let round = 1; round <= 100; round++) {
        const now = { ...own, amountNano: BigInt(round) * 10_000n };
        await opened(store, now);
        const keyNow = { ...key, budgets: [now] };
        const holds = Array.from({ length: 200 }, () => holdOf(1_000n));
        const codes = await Promise.all(holds.map((hold) => refused(store, keyNow, hold)));
        const admitted = holds.filter((_hold, at) => codes[at] === null);
        expect(admitted).toHaveLength(10);
        expect(codes.filter((code) => code === 'insufficient_quota')).toHaveLength(190);
        for (const hold of admitted) store.settle(keyNow, hold, { tokens: 1, costNano: 1_000n });
        expect(await sums(store, now)).toMatchObject({ spentNano: now.amountNano, reservedNano: 0n });
      }
    });

    it('say so as OpenAI does, and what is spent', async () => {
      const own = budget(5n);
      const store = await make(new FakeClock(NOON));
      await opened(store, own);
      try {
        await store.reserve(keyWith(own), 'openai/x', holdOf(6n));
        expect.unreachable();
      } catch (error) {
        expect(error).toMatchObject({ code: 'insufficient_quota', status: 429 });
        expect(String(error)).toContain('You exceeded your current quota, please check your plan and billing details.');
        expect(String(error)).toContain(
          'The budget of this API key for this day does not cover the maximum cost of this request.',
        );
      }
    });

    it.each([
      ['DAY', 12 * 3_600_000, 'The quota resets at 2026-11-22T00:00:00Z.'],
      ['MONTH', undefined, 'The quota resets at 2026-12-01T00:00:00Z.'],
      ['TOTAL', undefined, 'This budget does not reset.'],
    ] as const)('say when a budget of the period %s resets', async (period, retryAfterMs, text) => {
      const own = budget(5n, 'key', period);
      const store = await make(new FakeClock(NOON));
      await opened(store, own);
      expect(await refused(store, keyWith(own), holdOf(4n))).toBeNull();
      const error = await refusal(store, keyWith(own), holdOf(2n));
      expect(error).toMatchObject({ code: 'insufficient_quota', retryAfterMs });
      expect(error?.message).toContain(text);
      // What no period has room for is not worth another try.
      expect(await refusal(store, keyWith(own), holdOf(6n))).toMatchObject({ retryAfterMs: undefined });
    });

    it('take of the key, its member and its account, or of none', async () => {
      const budgets = [budget(10n), budget(5n, 'account')];
      const store = await make(new FakeClock(NOON));
      for (const each of budgets) await opened(store, each);
      const key = keyWith(...budgets);
      const first = holdOf(3n);
      expect(await refused(store, key, first)).toBeNull();
      expect(await refused(store, key, holdOf(3n))).toBe('insufficient_quota');
      expect(await Promise.all(budgets.map((each) => sums(store, each)))).toEqual([
        { spentNano: 0n, reservedNano: 3n },
        { spentNano: 0n, reservedNano: 3n },
      ]);
      // Nor is a token or a slot taken.
      expect(store.view(key).remainingRequests).toBe(key.limits.requestsPerMinute - 1);
      store.settle(key, first, { tokens: 1, costNano: 2n });
      expect(await Promise.all(budgets.map((each) => sums(store, each)))).toEqual([
        { spentNano: 2n, reservedNano: 0n },
        { spentNano: 2n, reservedNano: 0n },
      ]);
    });

    it('never refuse what costs nothing', async () => {
      const own = budget(0n);
      const store = await make(new FakeClock(NOON));
      await opened(store, own);
      expect(await refused(store, keyWith(own), holdOf(0n))).toBeNull();
      expect(await refused(store, keyWith(own), holdOf(1n))).toBe('insufficient_quota');
    });

    it('begin anew with their period; what began before counts there', async () => {
      const clock = new FakeClock(NOON);
      const own = budget(10n);
      const store = await make(clock);
      await opened(store, own);
      const key = keyWith(own);
      const before = holdOf(10n, clock.now());
      expect(await refused(store, key, before)).toBeNull();
      clock.setNow(clock.now() + DAY_MS);
      expect(await store.state(own)).toMatchObject({ spentNano: 0n, reservedNano: 0n });
      expect(await refused(store, key, holdOf(10n, clock.now()))).toBeNull();
      store.settle(key, before, { tokens: 1, costNano: 10n });
      expect(await store.state(own)).toMatchObject({ spentNano: 0n, reservedNano: 10n });
    });

    it('count what their spenders settle from the moment they are opened', async () => {
      const store = await make(new FakeClock(NOON));
      const hold = holdOf(0n);
      await store.reserve(keyWith(), 'openai/x', hold);
      const own = budget(10n, 'account');
      expect(await store.open(own)).toBe(true);
      store.settle(keyWith(), hold, { tokens: 1, costNano: 4n });
      await store.add(own, 3n, NOON);
      store.charge({ accountId: anyKey.accountId, keyId: 'another', memberId: null, hasAllowance: false }, 1n, NOON);
      expect((await sums(store, own)).spentNano).toBe(8n);
      // Another amount is the same budget.
      expect(await store.open({ ...own, amountNano: 20n })).toBe(false);
      expect((await sums(store, own)).spentNano).toBe(8n);
      expect(await store.open({ ...own, period: 'MONTH' })).toBe(true);
      await store.add({ ...own, period: 'MONTH' }, 0n, NOON);
      expect((await sums(store, { ...own, period: 'MONTH' })).spentNano).toBe(0n);
    });

    it('are extended step by step while they have room', async () => {
      const own = budget(10n);
      const store = await make(new FakeClock(NOON));
      await opened(store, own);
      const key = keyWith(own);
      const hold = holdOf(4n);
      await store.reserve(key, 'openai/x', hold);
      expect([
        await store.extend(key, hold, 4n),
        await store.extend(key, hold, 4n),
        await store.extend(key, hold, 2n),
      ]).toEqual([null, own, null]);
      expect(hold.costNano).toBe(10n);
      store.settle(key, hold, { tokens: 1, costNano: 7n });
      expect(await store.state(own)).toMatchObject({ spentNano: 7n, reservedNano: 0n });
    });

    it('that are opened anew know nothing of what was held before', async () => {
      const store = await make(new FakeClock(NOON));
      const own = budget(10n);
      const weekly = budget(10n, 'key', 'WEEK');
      await opened(store, own);
      const before = holdOf(6n);
      await store.reserve(keyWith(own), 'openai/x', before);
      await opened(store, weekly);
      store.settle(keyWith(own), before, { tokens: 1, costNano: 2n });
      expect(await sums(store, weekly)).toEqual({ spentNano: 2n, reservedNano: 0n });
      expect(await refused(store, keyWith(weekly), holdOf(9n))).toBe('insufficient_quota');
      expect(await refused(store, keyWith(weekly), holdOf(8n))).toBeNull();
    });

    it('never pass their amount, whatever comes when, as long as holds hold', async () => {
      const steps = fc.array(
        fc.record({
          wait: fc.integer({ min: 0, max: DAY_MS / 4 }),
          cost: fc.bigInt({ min: 0n, max: 400n }),
          part: fc.integer({ min: 0, max: 100 }),
          ends: fc.nat(),
        }),
        { maxLength: 120 },
      );
      await fc.assert(
        fc.asyncProperty(steps, async (arrivals) => {
          const clock = new FakeClock(NOON);
          const budgets = [budget(1_000n), budget(1_500n, 'account', 'TOTAL')];
          const key = keyWith(...budgets);
          const store = await make(clock);
          for (const each of budgets) await opened(store, each);
          const open: { hold: Reservation; costNano: bigint }[] = [];
          let settled = 0n;
          for (const { wait, cost, part, ends } of arrivals) {
            clock.setNow(clock.now() + wait);
            const hold = holdOf(cost, clock.now());
            if ((await refused(store, key, hold)) === null) open.push({ hold, costNano: (cost * BigInt(part)) / 100n });
            const [ended] = open.splice(ends % Math.max(1, open.length), ends % 2);
            if (ended) {
              settled += ended.costNano;
              store.settle(key, ended.hold, { tokens: 1, costNano: ended.costNano });
            }
            for (const each of budgets) {
              const { spentNano, reservedNano } = await sums(store, each);
              expect(spentNano + reservedNano).toBeLessThanOrEqual(each.amountNano);
              expect(reservedNano).toBeGreaterThanOrEqual(0n);
            }
          }
          expect((await sums(store, budgets[1] ?? budget(0n))).spentNano).toBe(settled);
        }),
        { numRuns: runs },
      );
    });
  });
}
