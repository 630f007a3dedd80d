import { array, assert, bigInt, double, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowanceUsed, amountDue } from '../../../../src/services/plans/allowance.ts';
import { proratedNano, type Charge } from '../../../../src/services/plans/proration.ts';

const DAY_MS = 86_400_000;
const usd = (dollars: number): bigint => BigInt(dollars) * 1_000_000_000n;
const at = (iso: string): number => Date.parse(iso);
const november = { start: at('2026-11-01T00:00:00Z'), end: at('2026-12-01T00:00:00Z') };

/** Full seconds, as in calendar periods; the time within has milliseconds. */
const periods = record({
  start: integer({ min: 0, max: 2 ** 31 }),
  seconds: integer({ min: 60, max: 31 * 86_400 }),
}).map(({ start, seconds }) => ({ start: start * 1_000, end: (start + seconds) * 1_000 }));
const fees = bigInt({ min: 0n, max: usd(1_000_000) });
const within = ({ start, end }: { start: number; end: number }, share: number): number =>
  start + 1 + Math.floor((end - start - 1) * share);
const share = double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const charge = (amountNano: bigint, period = november): Charge => ({ amountNano, period });

describe('the proration of a plan change', () => {
  it.each([
    // 20 of 30 days remain, of 180 USD more per month.
    ['2026-11-11T00:00:00.000Z', usd(120)],
    // A second of 2,592,000: 180 / 2,592,000 USD, which is 69,444.4 nano-USD.
    ['2026-11-30T23:59:59.000Z', 69_444n],
    // A partial second does not count.
    ['2026-11-30T23:59:59.001Z', 0n],
    ['2026-11-01T00:00:00.001Z', 179_999_930_556n],
    // A period that starts at this time is charged in full separately.
    ['2026-11-01T00:00:00.000Z', 0n],
  ])('at %s is the share of the rest, to the second', (moment, due) => {
    expect(proratedNano(charge(usd(20)), charge(usd(200)), at(moment))).toBe(due);
  });

  it('is exact and rounded once', () => {
    assert(
      property(periods, periods, fees, fees, share, (one, other, from, to, part) => {
        const moment = within(one, part);
        const left = ({ start, end }: { start: number; end: number }): [bigint, bigint] => {
          const whole = (end - start) / 1_000;
          const seconds = moment > start ? Math.min(whole, Math.max(0, Math.floor((end - moment) / 1_000))) : 0;
          return [BigInt(seconds), BigInt(whole)];
        };
        const [[a, b], [c, d]] = [left(one), left(other)];
        const due = proratedNano(charge(from, one), charge(to, other), moment);
        // Within half a nano-USD of the exact fraction: |due * b * d - (to * c * b - from * a * d)| * 2 <= b * d.
        const off = due * b * d - (to * c * b - from * a * d);
        expect((off < 0n ? -off : off) * 2n <= b * d).toBe(true);
      }),
    );
  });

  it('and of its reverse are the same amount', () => {
    assert(
      property(periods, fees, fees, share, (period, from, to, part) => {
        const moment = within(period, part);
        const there = proratedNano(charge(from, period), charge(to, period), moment);
        const back = proratedNano(charge(to, period), charge(from, period), moment);
        expect(there + back).toBe(0n);
      }),
    );
  });

  it('charges a reversed change for the time between, whatever steps lie between', () => {
    assert(
      property(periods, array(fees, { minLength: 2, maxLength: 6 }), array(share), (period, plans, shares) => {
        const moments = plans.slice(1).map((_, index) => within(period, shares[index] ?? 0.5));
        const ordered = moments.toSorted((a, b) => a - b);
        const length = BigInt((period.end - period.start) / 1_000);
        const secondsLeft = (moment: number): bigint => BigInt(Math.floor((period.end - moment) / 1_000));
        let due = plans[0] ?? 0n;
        let exact = (plans[0] ?? 0n) * length;
        for (const [index, moment] of ordered.entries()) {
          const [from, to] = [plans[index] ?? 0n, plans[index + 1] ?? 0n];
          due += proratedNano(charge(from, period), charge(to, period), moment);
          exact += (to - from) * secondsLeft(moment);
        }
        // Each change is rounded by at most half a nano-USD.
        const off = due * length - exact;
        expect((off < 0n ? -off : off) * 2n <= length * BigInt(ordered.length)).toBe(true);
      }),
    );
  });

  it('refunds nothing of a free period of 30 days, and charges the rest of the month', () => {
    const free = { start: at('2026-11-10T08:00:00Z'), end: at('2026-11-10T08:00:00Z') + 30 * DAY_MS };
    expect(proratedNano(charge(0n, free), charge(usd(30)), at('2026-11-16T00:00:00Z'))).toBe(usd(15));
  });
});

describe('an allowance', () => {
  it('and the amount due add up to the spend', () => {
    assert(
      property(fees, fees, (spend, allowance) => {
        expect(amountDue(spend, allowance) + allowanceUsed(spend, allowance)).toBe(spend);
        expect(allowanceUsed(spend, allowance) <= allowance).toBe(true);
      }),
    );
    expect([amountDue(usd(3), usd(5)), amountDue(usd(5), usd(5)), amountDue(usd(7), usd(5))]).toEqual([0n, 0n, usd(2)]);
  });
});
