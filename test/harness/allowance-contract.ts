import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/errors/index.ts';
import type { KeyRecord } from '../../src/gateway/keys/key-directory.ts';
import type { Allowance } from '../../src/gateway/keys/spend-bound.ts';
import { type Reservation, boundsOf } from '../../src/gateway/limits/limit-store.ts';
import { FakeClock } from './fake-clock.ts';
import { key as anyKey } from './gateway.ts';
import type { MakeStore } from './limit-store-contract.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const MONTH_MS = 30 * 86_400_000;

const { accountId } = anyKey;
const first: Allowance = {
  id: `allowance:${accountId}`,
  subject: 'allowance',
  accountId,
  period: { start: NOON - 1_000, end: NOON + MONTH_MS },
  amountNano: 10n,
  laterNano: 4n,
};

const keyWith = (allowance: Allowance): KeyRecord => ({
  ...anyKey,
  plan: { ...anyKey.plan, overage: 'refuse' },
  budgets: [allowance],
});

let event = 0;
const holdOf = (costNano: bigint, at: number): Reservation => ({
  eventId: `allowed ${++event}`,
  at,
  bounds: boundsOf(anyKey),
  tokens: 1,
  costNano,
});

/** What holds of every limit store. */
export function allowanceContract(name: string, make: MakeStore): void {
  describe(`allowances ${name}`, () => {
    async function start() {
      const clock = new FakeClock(NOON);
      const store = await make(clock);
      expect(await store.open(first)).toBe(true);
      await store.add(first, 3n, NOON);
      const refusal = async (allowance: Allowance, hold: Reservation): Promise<SluiceError | null> => {
        try {
          await store.reserve(keyWith(allowance), 'openai/x', hold);
          return null;
        } catch (error) {
          if (error instanceof SluiceError) return error;
          throw error;
        }
      };
      return {
        store,
        pass: (ms: number) => clock.setNow(clock.now() + ms),
        refusal,
        refused: async (allowance: Allowance, costNano: bigint) =>
          (await refusal(allowance, holdOf(costNano, clock.now())))?.code ?? null,
      };
    }

    it('refuse what has no room in them, say so, and let through what costs nothing', async () => {
      const { store, refusal, refused } = await start();
      const hold = holdOf(7n, NOON);
      expect(await refusal(first, hold)).toBeNull();
      const error = await refusal(first, holdOf(1n, NOON));
      expect(error).toMatchObject({ code: 'insufficient_quota', status: 429 });
      expect(error?.message).toContain("The account's allowance for this period and its balance");
      expect(error?.message).toContain('The quota resets at 2026-12-21T12:00:00Z.');
      expect(await refused(first, 0n)).toBeNull();
      store.settle(keyWith(first), hold, { tokens: 1, costNano: 5n });
      expect(await store.state(first)).toMatchObject({ spentNano: 8n, reservedNano: 0n });
      expect([await refused(first, 3n), await refused(first, 2n)]).toEqual(['insufficient_quota', null]);
    });

    it('have room again as soon as there is more', async () => {
      const { store, refused } = await start();
      expect([await refused(first, 7n), await refused(first, 1n)]).toEqual([null, 'insufficient_quota']);
      const more = { ...first, amountNano: 15n };
      expect(await store.open(more)).toBe(false);
      expect([await refused(more, 6n), await refused(more, 5n)]).toEqual(['insufficient_quota', null]);
    });

    it('begin anew with what the plan includes, until the next one is known', async () => {
      const { store, pass, refused, refusal } = await start();
      const before = holdOf(7n, NOON);
      expect(await refusal(first, before)).toBeNull();
      pass(MONTH_MS);
      expect([await refused(first, 5n), await refused(first, 3n)]).toEqual(['insufficient_quota', null]);
      const period = { start: first.period.end, end: first.period.end + MONTH_MS };
      const next: Allowance = { ...first, period, amountNano: 9n };
      expect(await store.open(next)).toBe(false);
      expect(await store.state(next)).toMatchObject({ period, spentNano: 0n, reservedNano: 3n });
      // It began in the period before.
      store.settle(keyWith(first), before, { tokens: 1, costNano: 7n });
      expect([await refused(next, 7n), await refused(next, 6n)]).toEqual(['insufficient_quota', null]);
      pass(MONTH_MS);
      expect(await refused(next, 4n)).toBeNull();
    });

    it('count what keys of plans that refuse settle, and what became due later', async () => {
      const { store } = await start();
      const spender = { accountId, keyId: 'another', memberId: null };
      store.charge({ ...spender, hasAllowance: true }, 2n, NOON);
      store.charge({ ...spender, hasAllowance: false }, 100n, NOON);
      expect(await store.state(first)).toMatchObject({ spentNano: 5n });
    });
  });
}
