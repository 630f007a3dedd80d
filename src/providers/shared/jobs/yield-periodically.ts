import { systemClock, type Clock } from '../../../calendar/clock.ts';

const MAX_TURN_MS = 8;

/** Await it repeatedly in long work: undefined if no yield is due. */
export type YieldIfDue = () => Promise<void> | undefined;

/** Yields to the event loop if `MAX_TURN_MS` passed since the last yield. @throws the signal's reason once it is aborted */
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

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
