import { expect, it } from 'vitest';
import { RestartBackoff } from '../../../src/workers/restart-backoff.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

it('waits twice as long after each failure, up to a limit, and begins again after a worker was healthy', () => {
  const clock = new FakeClock();
  const backoff = new RestartBackoff(clock);
  const failures = (count: number): number[] => Array.from({ length: count }, () => backoff.failed());
  expect(failures(4)).toEqual([100, 200, 400, 800]);
  backoff.ready();
  clock.advance(59_999);
  expect(failures(8)).toEqual([1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000]);
  backoff.ready();
  clock.advance(60_000);
  expect(failures(2)).toEqual([100, 200]);
});
