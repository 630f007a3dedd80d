import { describe, expect, it } from 'vitest';
import { CostMeter } from '../../../../src/graphql/limits/cost-meter.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

describe('CostMeter', () => {
  it('refills over one minute, separately for each caller', () => {
    const clock = new FakeClock();
    const meter = new CostMeter(600, clock);
    const resetAt = new Date(clock.now() + 50_000);
    expect(meter.spend('a', 500)).toMatchObject({ granted: true, remaining: 100, resetAt });
    expect(meter.spend('a', 200)).toMatchObject({ granted: false, remaining: 100, retryAfterMs: 10_000 });
    expect(meter.spend('b', 600)).toMatchObject({ granted: true, remaining: 0 });
    clock.advance(9_999);
    expect(meter.spend('a', 200).granted).toBe(false);
    clock.advance(2);
    expect(meter.spend('a', 200).granted).toBe(true);
    clock.advance(600_000);
    expect(meter.spend('a', 600)).toMatchObject({ granted: true, remaining: 0 });
  });
});
