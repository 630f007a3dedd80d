import { systemClock, type Clock } from '../../calendar/clock.ts';

const LONGEST_TURN_MS = 8;

/** To be awaited now and then in long work: lets others have their turn where some time has passed since the last. */
export function takeTurns(clock: Clock = systemClock): () => Promise<void> | undefined {
  let since = clock.monotonic();
  return () => {
    if (clock.monotonic() - since < LONGEST_TURN_MS) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        since = clock.monotonic();
        resolve();
      }),
    );
  };
}
