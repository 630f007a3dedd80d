import { systemClock } from '../../calendar/clock.ts';

/** @throws if `work` takes longer than `ms`; what it does then is not awaited */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = systemClock.setTimeout(() => reject(new Error(`no answer within ${ms / 1_000} s`)), ms);
    work.finally(() => timer.cancel()).then(resolve, reject);
  });
}
