import { systemClock, type Clock } from '../../calendar/clock.ts';

const MAX_TURN_MS = 8;

/** To be awaited now and then in long work: undefined where it may go on at once. */
export type YieldIfDue = () => Promise<void> | undefined;

/** Lets others have their turn where some time has passed since the last. @throws the signal's reason once it is aborted */
export function yieldPeriodically(clock: Clock = systemClock, signal?: AbortSignal): YieldIfDue {
  let since = clock.monotonic();
  return () => {
    if (clock.monotonic() - since < MAX_TURN_MS) return undefined;
    return nextTurn().then(() => {
      since = clock.monotonic();
      signal?.throwIfAborted();
    });
  };
}

/** Resolves once all that waits has had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
