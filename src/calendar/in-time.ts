import type { Clock } from './clock.ts';

/** A promise has not settled in time. What it stands for may still happen. */
class TimedOutError extends Error {
  constructor(ms: number) {
    super(`no response within ${ms} ms`);
    this.name = 'TimedOutError';
  }
}

/** The result of a promise. @throws TimedOutError where it has not settled within `ms` */
export async function inTime<T>(clock: Clock, ms: number, response: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  // A process that was blocked first reads what arrived meanwhile.
  const timer = clock.setTimeout(() => setImmediate(() => reject(new TimedOutError(ms))), ms);
  try {
    return await Promise.race([response, late]);
  } finally {
    timer.cancel();
    late.catch(() => undefined);
  }
}
