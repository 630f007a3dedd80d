import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/errors/index.ts';
import type { KeyRecord } from '../../src/gateway/keys/key-directory.ts';
import { spenderOf } from '../../src/gateway/limits/budget.ts';
import type { Budget } from '../../src/gateway/keys/spend-bound.ts';
import { type BudgetStore, type LimitStore, boundsOf } from '../../src/gateway/limits/limit-store.ts';
import { FakeClock } from './fake-clock.ts';
import { key as anyKey } from './gateway.ts';
import type { MakeStore } from './limit-store-contract.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const DAY_MS = 86_400_000;
const { accountId } = anyKey;
const budget: Budget = {
  id: `account:${accountId}`,
  subject: 'account',
  accountId,
  amountNano: 10n,
  period: 'DAY',
  timeZone: 'UTC',
};
const key: KeyRecord = { ...anyKey, budgets: [budget] };
const spender = spenderOf(key);
let event = 0;

/** What holds of every limit store that keeps room for what is billed later. */
export function standingHoldContract(name: string, make: MakeStore): void {
  describe(`standing holds ${name}`, () => {
    async function start() {
      const clock = new FakeClock(NOON);
      const store: LimitStore & BudgetStore = await make(clock);
      if (await store.open(budget)) await store.add(budget, 0n, NOON);
      const refused = async (costNano: bigint): Promise<string | null> => {
        const hold = { eventId: `standing ${++event}`, at: clock.now(), bounds: boundsOf(key), tokens: 1, costNano };
        try {
          await store.reserve(key, 'openai/x', hold);
        } catch (error) {
          if (error instanceof SluiceError) return error.code;
          throw error;
        }
        store.settle(key, hold, { tokens: 1, costNano: 0n });
        return null;
      };
      const sums = async () => {
        const state = await store.state(budget);
        return { spent: state?.spentNano, reserved: state?.reservedNano };
      };
      return { store, refused, sums, pass: (ms: number) => clock.setNow(clock.now() + ms) };
    }

    it('leave no room for what they may cost, until they are let go', async () => {
      const { store, refused, sums } = await start();
      store.reserveForDeferredCharge({ id: 'video', spender, costNano: 7n });
      expect(await sums()).toEqual({ spent: 0n, reserved: 7n });
      expect([await refused(4n), await refused(3n)]).toEqual(['insufficient_quota', null]);
      store.charge(spender, 5n, NOON);
      store.releaseDeferredCharge({ id: 'video', spender });
      expect(await sums()).toEqual({ spent: 5n, reserved: 0n });
      expect([await refused(6n), await refused(5n)]).toEqual(['insufficient_quota', null]);
    });

    it('count once, however often they are told of', async () => {
      const { store, sums } = await start();
      for (let time = 0; time < 3; time++) store.reserveForDeferredCharge({ id: 'video', spender, costNano: 4n });
      store.reserveForDeferredCharge({ id: 'another', spender, costNano: 3n });
      expect(await sums()).toEqual({ spent: 0n, reserved: 7n });
      store.releaseDeferredCharge({ id: 'video', spender });
      store.releaseDeferredCharge({ id: 'video', spender });
      store.releaseDeferredCharge({ id: 'unheard of', spender });
      expect(await sums()).toEqual({ spent: 0n, reserved: 3n });
    });

    it('grow in one step, in whatever order they are told of', async () => {
      const { store, refused, sums } = await start();
      for (const costNano of [4n, 9n, 7n]) store.reserveForDeferredCharge({ id: 'batch', spender, costNano });
      expect(await sums()).toEqual({ spent: 0n, reserved: 9n });
      expect([await refused(2n), await refused(1n)]).toEqual(['insufficient_quota', null]);
      store.releaseDeferredCharge({ id: 'batch', spender });
      expect(await sums()).toEqual({ spent: 0n, reserved: 0n });
      expect(await refused(10n)).toBeNull();
    });

    it('that nobody let go of end when it is told which are left', async () => {
      const { store, sums, pass } = await start();
      store.reserveForDeferredCharge({ id: 'forgotten', spender, costNano: 4n });
      store.reserveForDeferredCharge({ id: 'under way', spender, costNano: 2n });
      expect(await sums()).toEqual({ spent: 0n, reserved: 6n });
      pass(61_000);
      store.reserveForDeferredCharge({ id: 'new', spender, costNano: 1n });
      store.retain([budget], new Set(['under way']));
      expect(await sums()).toEqual({ spent: 0n, reserved: 3n });
      store.releaseDeferredCharge({ id: 'forgotten', spender });
      expect(await sums()).toEqual({ spent: 0n, reserved: 3n });
    });

    it('outlast the time that a request may hold', async () => {
      const { store, refused, pass } = await start();
      store.reserveForDeferredCharge({ id: 'video', spender, costNano: 7n });
      pass(2 * 3_600_000);
      expect(await refused(4n)).toBe('insufficient_quota');
    });

    it('go on in the next period: that is when they will be billed', async () => {
      const { store, refused, sums, pass } = await start();
      store.charge(spender, 2n, NOON);
      store.reserveForDeferredCharge({ id: 'video', spender, costNano: 7n });
      pass(DAY_MS / 2);
      expect([await refused(4n), await refused(3n)]).toEqual(['insufficient_quota', null]);
      expect(await sums()).toEqual({ spent: 0n, reserved: 7n });
      store.releaseDeferredCharge({ id: 'video', spender });
      expect(await sums()).toEqual({ spent: 0n, reserved: 0n });
    });

    it('go on in a budget of another period', async () => {
      const { store } = await start();
      store.reserveForDeferredCharge({ id: 'video', spender, costNano: 7n });
      const weekly: Budget = { ...budget, period: 'WEEK' };
      expect(await store.open(weekly)).toBe(true);
      await store.add(weekly, 1n, NOON);
      const state = await store.state(weekly);
      expect(state).toMatchObject({ spentNano: 1n, reservedNano: 7n });
      store.releaseDeferredCharge({ id: 'video', spender });
      expect(await store.state(weekly)).toMatchObject({ spentNano: 1n, reservedNano: 0n });
    });

    it('stay where the budget gets another amount', async () => {
      const { store, sums } = await start();
      store.reserveForDeferredCharge({ id: 'video', spender, costNano: 7n });
      expect(await store.open({ ...budget, amountNano: 20n })).toBe(false);
      store.releaseDeferredCharge({ id: 'video', spender });
      expect(await sums()).toEqual({ spent: 0n, reserved: 0n });
    });
  });
}
