import { describe, expect, it } from 'vitest';
import { CostMeter } from '../../../../src/graphql/limits/cost-meter.ts';

describe('a budget of points', () => {
  it('flows back over a minute, and is each caller’s own', () => {
    let now = 1_000_000;
    const meter = new CostMeter(600, () => now);
    expect(meter.spend('a', 500)).toMatchObject({ granted: true, remaining: 100, resetAt: new Date(now + 50_000) });
    expect(meter.spend('a', 200)).toMatchObject({ granted: false, remaining: 100, retryAfterMs: 10_000 });
    expect(meter.spend('b', 600)).toMatchObject({ granted: true, remaining: 0 });
    now += 9_999;
    expect(meter.spend('a', 200).granted).toBe(false);
    now += 2;
    expect(meter.spend('a', 200).granted).toBe(true);
    now += 600_000;
    expect(meter.spend('a', 600)).toMatchObject({ granted: true, remaining: 0 });
  });
});
