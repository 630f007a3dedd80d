import { delay, systemClock, type Clock } from '../../calendar/clock.ts';
import { ChangeSignal } from '../../live/change-signal.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import type { LiveFeed } from '../../live/feed.ts';
import type { UsageTotals } from '../../services/usage/report/usage-report.ts';

/** Totals of completions that ended since the first tick. */
export interface UsageCounters {
  readonly requests: number;
  readonly errors: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costNano: bigint;
}

export interface Tick {
  readonly at: Date;
  readonly since: Date;
  readonly totals: UsageCounters;
  /** Null while the database cannot be read. */
  readonly today: UsageTotals | null;
}

/** Requests are stored within one second after their end; only then is the day's total final. */
const STORAGE_LAG_MS = 1_500;
const NEVER_MS = 2 ** 31 - 1;
const USAGE_CHANGED = 'movement';

/**
 * One tick immediately, then one after completions have ended, at most one per interval, and one more if requests stored later
 * change the day's total.
 */
export async function* usageTicks(
  feed: LiveFeed,
  accountId: string,
  today: () => Promise<UsageTotals | null>,
  intervalMs: number,
  signal: AbortSignal,
  clock: Clock = systemClock,
): AsyncIterableIterator<Tick> {
  const closing = new AbortController();
  const ended = AbortSignal.any([signal, closing.signal]);
  const changes = new ChangeSignal(clock);
  const since = new Date(clock.now());
  let total: UsageCounters = { requests: 0, errors: 0, inputTokens: 0, outputTokens: 0, costNano: 0n };
  let isDue = false;
  const reading = (async (): Promise<void> => {
    for await (const item of feed.subscribe(accountId, null, ended)) {
      const after = item.type === 'event' ? addUpdate(total, item.event.update) : total;
      if (after === total) continue;
      total = after;
      isDue = true;
      changes.notify(USAGE_CHANGED);
    }
  })().finally(() => closing.abort());
  // Its error is thrown by the await at the end; until then nothing awaits it.
  reading.catch(() => undefined);
  try {
    let sum = await today();
    yield { at: new Date(clock.now()), since, totals: total, today: sum };
    let mayLag = false;
    while (!ended.aborted) {
      if (!isDue) await changes.next(USAGE_CHANGED, mayLag ? STORAGE_LAG_MS : NEVER_MS, ended);
      if (ended.aborted) break;
      const hasChanged = isDue;
      isDue = false;
      const before = sum;
      sum = await today();
      if (hasChanged || sum?.requests !== before?.requests || sum?.costNano !== before?.costNano) {
        yield { at: new Date(clock.now()), since, totals: total, today: sum };
        await delay(clock, intervalMs, ended).catch(() => undefined);
      }
      mayLag = hasChanged;
    }
  } finally {
    closing.abort();
    await reading;
  }
}

function addUpdate(total: UsageCounters, update: CompletionUpdate): UsageCounters {
  if (update.type === 'failed')
    return { ...total, requests: total.requests + 1, errors: total.errors + (update.aborted ? 0 : 1) };
  if (update.type !== 'finished') return total;
  return {
    requests: total.requests + 1,
    errors: total.errors,
    inputTokens: total.inputTokens + update.inputTokens,
    outputTokens: total.outputTokens + update.outputTokens,
    costNano: total.costNano + update.costNano,
  };
}
