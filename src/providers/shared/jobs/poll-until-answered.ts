import { delay, systemClock, type Clock } from '../../../calendar/clock.ts';

const FIRST_MS = 200;
const MAX_DURATION_MS = 3_000;
const GROWTH = 1.5;

/** Polls with increasing delays until there is a result. @throws the signal's reason once it is aborted */
export async function pollUntilAnswered<Result>(
  signal: AbortSignal,
  poll: () => Promise<Result | null>,
  clock: Clock = systemClock,
): Promise<Result> {
  for (let wait = FIRST_MS; ; wait = Math.min(MAX_DURATION_MS, wait * GROWTH)) {
    await delay(clock, wait, signal);
    const answer = await poll();
    if (answer !== null) return answer;
  }
}
