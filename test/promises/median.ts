import { expect } from 'vitest';

const TIMES = 5;

/** Measures one figure five times, one after the other. @returns the median, in the figure's own unit */
export async function medianOf(measure: () => Promise<number>): Promise<number> {
  const figures: number[] = [];
  while (figures.length < TIMES) figures.push(await measure());
  return median(figures);
}

/** Does something five times. It fails where the median of the times it took is over the bound. */
export async function expectMedianWithin(boundMs: number, work: () => void | Promise<void>): Promise<void> {
  expect(await medianOf(() => millisecondsOf(async () => work()))).toBeLessThan(boundMs);
}

export function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}

/** How long something takes, in milliseconds. */
export async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
