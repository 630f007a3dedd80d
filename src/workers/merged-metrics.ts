import { delay, systemClock, type Clock } from '../calendar/clock.ts';
import type { Channel } from './channel-handlers.ts';
import type { WorkerGroup } from './worker-group.ts';

/** A busy worker is reported as it was when it last responded. */
const PAGE_TIMEOUT_MS = 2_000;

export interface MergedMetricsOptions {
  readonly group: WorkerGroup;
  /** The page of the supervisor itself. */
  readonly own: () => string;
  readonly merge: (pages: readonly string[]) => string;
  /** What remains of the page of a worker that has ended, so that the merged counters do not decrease. */
  readonly countersIn: (page: string) => string;
  readonly clock?: Clock;
}

/** One page of metrics for all workers, whichever of them is asked for it. */
export class MergedMetrics {
  readonly #options: MergedMetricsOptions;
  readonly #clock: Clock;
  /** By worker, the last one. */
  readonly #pages = new Map<Channel, string>();
  /** Of workers that have ended, together. */
  #ended = '';

  constructor(options: MergedMetricsOptions) {
    const { group, merge, countersIn, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    group.handlers.onRequest('metrics', (page: string, from) => this.#merge(page, from));
    group.onLeft(({ channel }) => {
      const last = this.#pages.get(channel);
      this.#pages.delete(channel);
      if (last !== undefined) this.#ended = merge([this.#ended, countersIn(last)]);
    });
  }

  async #merge(page: string, from: Channel): Promise<string> {
    const { group, own, merge } = this.#options;
    this.#pages.set(from, page);
    const others = [...group.members].map(({ channel }) => channel).filter((channel) => channel !== from);
    await Promise.all(others.map((channel) => this.#read(channel)));
    return merge([own(), this.#ended, ...this.#pages.values()]);
  }

  async #read(channel: Channel): Promise<void> {
    const answered = new AbortController();
    const read = async (): Promise<void> => {
      const page = await channel.request<string>('metrics', null);
      // It may have ended in the meantime.
      if (channel.isConnected) this.#pages.set(channel, page);
    };
    // One that ends, or does not serve yet, has no page.
    const reading = read().catch(() => undefined);
    const timeout = delay(this.#clock, PAGE_TIMEOUT_MS, answered.signal).catch(() => undefined);
    await Promise.race([reading, timeout]);
    answered.abort();
  }
}
