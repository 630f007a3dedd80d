import { systemClock, type Clock } from '../../calendar/clock.ts';

const MINUTE_MS = 60_000;
/** The least recently used callers are evicted first; their budgets have nearly refilled by then. */
const MAX_CALLERS = 50_000;

/** Balance of a caller after a charge. */
export interface CostBalance {
  readonly granted: boolean;
  /** Points. */
  readonly remaining: number;
  /** When the budget is full again. */
  readonly resetAt: Date;
  /** Milliseconds until the requested points are available; 0 if granted. */
  readonly retryAfterMs: number;
}

interface Bucket {
  points: number;
  /** Monotonic time in milliseconds. */
  at: number;
}

/** Points that several processes count together. */
export interface SharedPoints {
  /** @throws Error while the shared count is unavailable */
  spend(
    caller: string,
    cost: number,
    perMinute: number,
  ): Promise<{ readonly granted: boolean; readonly points: number }>;
}

/** Token bucket per caller that refills over one minute. Without a shared count, each process has its own. */
export class CostMeter {
  readonly #perMinute: number;
  readonly #clock: Clock;
  readonly #shared: SharedPoints | null;
  /** Ordered by last use. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number, clock: Clock = systemClock, shared: SharedPoints | null = null) {
    this.#perMinute = perMinute;
    this.#clock = clock;
    this.#shared = shared;
  }

  async spend(caller: string, cost: number): Promise<CostBalance> {
    const shared = await this.#shared?.spend(caller, cost, this.#perMinute).catch(() => null);
    const { granted, points } = shared ?? this.#spendHere(caller, cost);
    return {
      granted,
      remaining: Math.floor(points),
      resetAt: new Date(this.#clock.now() + this.#msFor(this.#perMinute - points)),
      retryAfterMs: granted ? 0 : this.#msFor(Math.min(cost, this.#perMinute) - points),
    };
  }

  #spendHere(caller: string, cost: number): { granted: boolean; points: number } {
    const bucket = this.#bucket(caller, this.#clock.monotonic());
    const granted = bucket.points >= cost;
    if (granted) bucket.points -= cost;
    return { granted, points: bucket.points };
  }

  #bucket(caller: string, now: number): Bucket {
    const previous = this.#buckets.get(caller);
    const points =
      previous === undefined
        ? this.#perMinute
        : Math.min(this.#perMinute, previous.points + ((now - previous.at) / MINUTE_MS) * this.#perMinute);
    const bucket = { points, at: now };
    this.#buckets.delete(caller);
    this.#buckets.set(caller, bucket);
    if (this.#buckets.size > MAX_CALLERS) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return bucket;
  }

  #msFor(points: number): number {
    return Math.ceil((points / this.#perMinute) * MINUTE_MS);
  }
}
