import { describe, expect, it } from 'vitest';
import { CostMeter } from '../../../../src/graphql/limits/cost-meter.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

describe('CostMeter', () => {
  it('refills over one minute, separately for each caller', async () => {
    const clock = new FakeClock();
    const meter = new CostMeter(600, clock);
    const resetAt = new Date(clock.now() + 50_000);
    expect(await meter.spend('a', 500)).toMatchObject({ granted: true, remaining: 100, resetAt });
    expect(await meter.spend('a', 200)).toMatchObject({ granted: false, remaining: 100, retryAfterMs: 10_000 });
    expect(await meter.spend('b', 600)).toMatchObject({ granted: true, remaining: 0 });
    clock.advance(9_999);
    expect((await meter.spend('a', 200)).granted).toBe(false);
    clock.advance(2);
    expect((await meter.spend('a', 200)).granted).toBe(true);
    clock.advance(600_000);
    expect(await meter.spend('a', 600)).toMatchObject({ granted: true, remaining: 0 });
  });

  it('counts with other processes, and alone while that is unavailable', async () => {
    let isAvailable = true;
    const shared = {
      spend: async () => {
        if (!isAvailable) throw new Error('unavailable');
        return { granted: false, points: 30 };
      },
    };
    const meter = new CostMeter(60, new FakeClock(), shared);
    expect(await meter.spend('a', 60)).toMatchObject({ granted: false, remaining: 30, retryAfterMs: 30_000 });
    isAvailable = false;
    expect(await meter.spend('a', 60)).toMatchObject({ granted: true, remaining: 0 });
    expect((await meter.spend('a', 1)).granted).toBe(false);
  });
});
