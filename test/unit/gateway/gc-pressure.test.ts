import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { GcPressure, bodyGcPressure, mediaGcPressure } from '../../../src/gateway/metrics/gc-pressure.ts';

const MB = 1024 * 1024;

describe('bytes in transit', () => {
  it('trigger a young collection each time the limit is reached', () => {
    const asked: NodeJS.GCOptions[] = [];
    const passing = new GcPressure(4 * MB, (options) => asked.push(options));
    for (let at = 0; at < 15; at++) passing.add(MB / 4);
    expect(asked).toEqual([]);
    passing.add(MB / 4);
    expect(asked).toEqual([{ type: 'minor' }]);
    passing.add(3 * MB);
    expect(asked).toHaveLength(1);
    passing.add(9 * MB);
    expect(asked).toEqual([{ type: 'minor' }, { type: 'minor' }]);
  });

  it.each([
    ['media', mediaGcPressure, 4],
    ['bodies', bodyGcPressure, 24],
  ])('are collected by V8 itself (%s)', async (_name, passing, megabytes) => {
    let isCollected = false;
    const observer = new PerformanceObserver((list) => {
      isCollected ||= list.getEntries().some(isAskedForAndMinor);
    });
    observer.observe({ entryTypes: ['gc'] });
    // Node does not report a collection during which another one starts.
    while (!isCollected) {
      passing.add(megabytes * MB);
      await nextTurn();
    }
    observer.disconnect();
  });
});

function isAskedForAndMinor(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null || !('detail' in entry)) return false;
  const { detail } = entry;
  if (typeof detail !== 'object' || detail === null || !('kind' in detail) || !('flags' in detail)) return false;
  const isForced = (Number(detail.flags) & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
  return isForced && detail.kind === constants.NODE_PERFORMANCE_GC_MINOR;
}
