import { constants, PerformanceObserver } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passingBodies, passingMedia } from '../../../src/gateway/passing-bytes.ts';

const MB = 1024 * 1024;
/** V8's flag of a collection that was asked for. */
const ASKED_FOR = constants.NODE_PERFORMANCE_GC_FLAGS_FORCED;

describe('bytes that pass', () => {
  let kinds: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (isGc(entry) && entry.detail.flags & ASKED_FOR) kinds.push(entry.detail.kind);
  });
  beforeAll(() => observer.observe({ entryTypes: ['gc'] }));
  afterAll(() => observer.disconnect());

  it.each([
    ['media', passingMedia, 4],
    ['bodies', passingBodies, 8],
  ])('have young garbage collected, and no other, once so many of %s came', async (_name, passing, megabytes) => {
    // Whatever the tests before left.
    passing.add(megabytes * MB);
    await told();
    kinds = [];
    for (let at = 0; at < megabytes * 4 - 1; at++) passing.add(MB / 4);
    await told();
    expect(kinds).toEqual([]);
    passing.add(MB / 4);
    await told();
    expect(kinds).toEqual([constants.NODE_PERFORMANCE_GC_MINOR]);
  });
});

/** Observers are told in a turn of their own. */
async function told(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
}

function isGc(entry: unknown): entry is { detail: { kind: number; flags: number } } {
  return typeof entry === 'object' && entry !== null && 'detail' in entry && typeof entry.detail === 'object';
}
