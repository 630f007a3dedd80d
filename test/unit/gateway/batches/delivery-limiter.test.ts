import { expect, it } from 'vitest';
import { DeliveryLimiter } from '../../../../src/gateway/batches/provider/delivery-limiter.ts';

/** The lengths that run at once, after each start. @param failing the length whose run fails */
async function running(lengths: readonly number[], failing?: number): Promise<number[][]> {
  const limiter = new DeliveryLimiter({ count: 3, bytes: 10 });
  const now: number[] = [];
  const seen: number[][] = [];
  const runs = lengths.map((bytes) =>
    limiter.run(bytes, async () => {
      now.push(bytes);
      seen.push([...now]);
      await new Promise((resolve) => setImmediate(resolve));
      now.splice(now.indexOf(bytes), 1);
      if (bytes === failing) throw new Error('failed');
    }),
  );
  await Promise.allSettled(runs);
  return seen;
}

it('runs deliveries in order, as many at once as count and bytes allow', async () => {
  const seen = await running([1, 2, 3, 4, 5, 6, 7]);
  expect(seen.map((now) => now.at(-1))).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(Math.max(...seen.map((now) => now.length))).toBe(3);
  expect(Math.max(...seen.map((now) => now.reduce((sum, bytes) => sum + bytes, 0)))).toBeLessThanOrEqual(10);
});

it('runs one that is larger than all may be alone, and goes on after a failure', async () => {
  expect(await running([1, 50, 2], 50)).toEqual([[1], [50], [2]]);
});
