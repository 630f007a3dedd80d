import { systemClock, type Clock } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import { EventRing } from '../../live/event-ring.ts';
import type { LiveFeed } from '../../live/feed.ts';
import type { UsageReporter, UsageTotals } from '../../services/usage/report/usage-report.ts';
import { usageTicks, type Tick } from './usage-ticks.ts';

/** One ticker per account and interval, shared by all subscribers. */
export class UsageTickers {
  readonly #feed: LiveFeed;
  readonly #reports: Pick<UsageReporter, 'today'>;
  readonly #clock: Clock;
  readonly #tickers = new Map<string, Ticker>();

  constructor(feed: LiveFeed, reports: Pick<UsageReporter, 'today'>, clock: Clock = systemClock) {
    this.#feed = feed;
    this.#reports = reports;
    this.#clock = clock;
  }

  /** The last tick, if any, then each new one. A slow reader skips ticks. */
  async *subscribe(accountId: string, intervalMs: number, signal: AbortSignal): AsyncIterableIterator<Tick> {
    const name = `${accountId} ${intervalMs}`;
    const ticker = this.#tickers.get(name) ?? this.#start(name, accountId, intervalMs);
    ticker.readers++;
    try {
      yield* ticker.read(signal);
    } finally {
      if (--ticker.readers === 0) this.#stop(name, ticker);
    }
  }

  #start(name: string, accountId: string, intervalMs: number): Ticker {
    const today = (): Promise<UsageTotals | null> =>
      this.#reports.today(accountId, new Date(this.#clock.now())).catch(nullIfUnavailable);
    const ticker = new Ticker((stopped) => usageTicks(this.#feed, accountId, today, intervalMs, stopped, this.#clock));
    this.#tickers.set(name, ticker);
    void ticker.ended.then(() => this.#stop(name, ticker));
    return ticker;
  }

  #stop(name: string, ticker: Ticker): void {
    ticker.stop();
    if (this.#tickers.get(name) === ticker) this.#tickers.delete(name);
  }
}

class Ticker {
  readers = 0;
  /** Resolves also after a failure, which `read` throws. */
  readonly ended: Promise<void>;
  /** New readers need only the last tick. */
  readonly #ring = new EventRing<Tick>({ events: 1, weight: Infinity });
  readonly #stopping = new AbortController();
  #fault: { readonly error: unknown } | null = null;

  constructor(ticks: (stopped: AbortSignal) => AsyncIterable<Tick>) {
    this.ended = this.#run(ticks(this.#stopping.signal));
  }

  async *read(signal: AbortSignal): AsyncIterableIterator<Tick> {
    for await (const item of this.#ring.read(this.#ring.start, signal)) if (item.type === 'event') yield item.event;
    if (this.#fault !== null) throw this.#fault.error;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #run(ticks: AsyncIterable<Tick>): Promise<void> {
    try {
      for await (const tick of ticks) this.#ring.push(tick, 0);
    } catch (error) {
      this.#fault = { error };
    } finally {
      this.#ring.close();
    }
  }
}

/** Live figures continue while the database is unavailable. */
function nullIfUnavailable(error: unknown): null {
  if (error instanceof SluiceError && error.code === 'database_unavailable') return null;
  throw error;
}
