import { delay, systemClock, type Clock } from '../../calendar/clock.ts';
import { ChangeSignal } from '../../live/change-signal.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import type { LiveFeed } from '../../live/feed.ts';
import type { UsageTotals } from '../../services/usage/usage-report.ts';

/** What completions that ended since the ticks began told of themselves. */
export interface Moved {
  readonly requests: number;
  readonly errors: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costNano: bigint;
}

export interface Tick {
  readonly at: Date;
  readonly since: Date;
  readonly moved: Moved;
  /** Null while the database cannot be read. */
  readonly today: UsageTotals | null;
}

/** A request is in the database within a second of its end; only then is the day's sum what it will be. */
const STORED_WITHIN_MS = 1_500;
const FOR_EVER_MS = 2 ** 31 - 1;
const MOVEMENT = 'movement';

/**
 * A tick at once, then one whenever completions have ended, at most one an interval, and one more where what was stored
 * afterwards changes the day's sum.
 */
export async function* usageTicks(
  feed: LiveFeed,
  accountId: string,
  today: () => Promise<UsageTotals | null>,
  intervalMs: number,
  signal: AbortSignal,
  clock: Clock = systemClock,
): AsyncIterableIterator<Tick> {
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const changes = new ChangeSignal(clock);
  const since = new Date(clock.now());
  let moved: Moved = { requests: 0, errors: 0, inputTokens: 0, outputTokens: 0, costNano: 0n };
  let isDue = false;
  const reading = (async (): Promise<void> => {
    for await (const item of feed.subscribe(accountId, null, ended)) {
      const after = item.type === 'event' ? counted(moved, item.event.update) : moved;
      if (after === moved) continue;
      moved = after;
      isDue = true;
      changes.changed(MOVEMENT);
    }
  })().finally(() => over.abort());
  // Its failure is thrown where it is awaited at the end; while a tick is with the caller, nothing awaits it.
  reading.catch(() => undefined);
  try {
    let sum = await today();
    yield { at: new Date(clock.now()), since, moved, today: sum };
    let mayLag = false;
    while (!ended.aborted) {
      if (!isDue) await changes.next(MOVEMENT, mayLag ? STORED_WITHIN_MS : FOR_EVER_MS, ended);
      if (ended.aborted) break;
      const hasMoved = isDue;
      isDue = false;
      const before = sum;
      sum = await today();
      if (hasMoved || sum?.requests !== before?.requests || sum?.costNano !== before?.costNano) {
        yield { at: new Date(clock.now()), since, moved, today: sum };
        await delay(clock, intervalMs, ended).catch(() => undefined);
      }
      mayLag = hasMoved;
    }
  } finally {
    over.abort();
    await reading;
  }
}

function counted(moved: Moved, update: CompletionUpdate): Moved {
  if (update.type === 'failed')
    return { ...moved, requests: moved.requests + 1, errors: moved.errors + (update.aborted ? 0 : 1) };
  if (update.type !== 'finished') return moved;
  return {
    requests: moved.requests + 1,
    errors: moved.errors,
    inputTokens: moved.inputTokens + update.inputTokens,
    outputTokens: moved.outputTokens + update.outputTokens,
    costNano: moved.costNano + update.costNano,
  };
}
