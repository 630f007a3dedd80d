import { expect, it } from 'vitest';
import { Arrivals } from '../../harness/arrivals.ts';

it('arrivals are waited for by their number or by what one of them is', async () => {
  const arrivals = new Arrivals<readonly number[]>();
  const seen: string[] = [];
  const waiting = [
    arrivals.whenLength(2).then(() => seen.push('two')),
    arrivals.whenIncludes([3]).then(() => seen.push('the third')),
  ];
  arrivals.push([1]);
  arrivals.push([2]);
  await waiting[0];
  expect(seen).toEqual(['two']);
  arrivals.push([3]);
  await waiting[1];
  await arrivals.whenLength(3);
  await arrivals.whenIncludes([1]);
  expect([...arrivals]).toEqual([[1], [2], [3]]);
});
