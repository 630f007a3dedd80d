import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainCost } from '../../../src/catalogue/prices/explain-cost.ts';
import { compileRates, costNano } from '../../../src/catalogue/prices/price.ts';
import { counted, kinds, none, rates } from './arbitrary-rates.ts';

const markups = integer({ min: 0, max: 10_000_000 });

describe('a mark-up', () => {
  it('multiplies before the one rounding', () => {
    // 1 token of 0.30 USD a million is 300 nano-USD; of 0.0003, three tenths of one.
    const tiny = compileRates({ input: '0.0003', output: '0' });
    const one = counted({ ...none, input: 1 });
    expect([costNano(tiny, one), costNano(tiny, one, 666_666), costNano(tiny, one, 666_667)]).toEqual([0n, 0n, 1n]);
    const usual = compileRates({ input: '0.30', output: '0' });
    expect([costNano(usual, one, 50_000), costNano(usual, one, 25_000)]).toEqual([315n, 308n]);
  });

  it('is a separate step, and the steps sum to the cost', () => {
    assert(
      property(rates, kinds, markups, (given, used, markupPpm) => {
        const cost = costNano(compileRates(given), counted(used), markupPpm);
        const steps = explainCost(given, counted(used), markupPpm);
        expect(steps.reduce((sum, { amountNano }) => sum + amountNano, 0n)).toBe(cost);
        const plain = explainCost(given, counted(used));
        expect(steps.slice(0, plain.length)).toEqual(plain);
        expect(steps.length - plain.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is within half a nano-USD of the exact product', () => {
    assert(
      property(rates, kinds, markups, (given, used, markupPpm) => {
        const exact = compileRates(given);
        // At a million times the mark-up's unit the plain cost is whole: rates have 12 places, parts six.
        const scaled = costNano(exact, counted(used), 0);
        const cost = costNano(exact, counted(used), markupPpm);
        const low = (scaled - 1n) * (1_000_000n + BigInt(markupPpm));
        const high = (scaled + 1n) * (1_000_000n + BigInt(markupPpm));
        expect(cost * 1_000_000n >= low - 500_000n && cost * 1_000_000n <= high + 500_000n).toBe(true);
      }),
    );
  });

  it('of a free request is zero, and not a step', () => {
    const free = { input: '0', output: '0' };
    const used = counted({ ...none, input: 1_000, output: 1_000 });
    expect(costNano(compileRates(free), used, 10_000_000)).toBe(0n);
    expect(explainCost(free, used, 10_000_000).map(({ label }) => label)).not.toContain('mark-up');
  });

  it('states its percentage of the cost to which it is added', () => {
    const steps = explainCost({ input: '1', output: '2' }, counted({ ...none, input: 1_000, output: 500 }), 25_000);
    expect(steps.at(-1)).toEqual({
      label: 'mark-up',
      unit: 'percent',
      quantity: 2.5,
      rate: '0.002',
      per: 100,
      amountNano: 50_000n,
    });
  });
});
