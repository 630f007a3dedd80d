import { expect, it } from 'vitest';
import { retryDelayMs } from '../../../../src/services/webhooks/retry-delay.ts';

it('doubles with each failure up to an hour', () => {
  const delays = [1, 2, 3, 4, 8, 9, 10, 5_000].map((failures) => retryDelayMs(failures, 15_000, 1));
  expect(delays).toEqual([15_000, 30_000, 60_000, 120_000, 1_920_000, 3_600_000, 3_600_000, 3_600_000]);
});

it('varies by half of itself', () => {
  expect([0, 0.5, 1].map((random) => retryDelayMs(2, 15_000, random))).toEqual([15_000, 22_500, 30_000]);
  const delays = Array.from({ length: 100 }, () => retryDelayMs(20, 15_000));
  expect(new Set(delays).size).toBeGreaterThan(50);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(1_800_000);
  expect(Math.max(...delays)).toBeLessThanOrEqual(3_600_000);
});
