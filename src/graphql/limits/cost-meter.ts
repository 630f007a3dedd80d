import { systemClock, type Clock } from '../../calendar/clock.ts';

const MINUTE_MS = 60_000;
/** Callers that are kept in mind; the oldest are forgotten first, and their budgets are nearly whole again by then. */
const MAX_CALLERS = 50_000;

/** What a caller may still spend. */
export interface CostBalance {
  readonly granted: boolean;
  /** Points. */
  readonly remaining: number;
  /** When the budget is whole again. */
  readonly resetAt: Date;
  /** When as much as was asked for is there again, in milliseconds; 0 where it was granted. */
  readonly retryAfterMs: number;
}

interface Bucket {
  points: number;
  /** Of the clock's `monotonic`. */
  at: number;
}

/** Points by caller, that flow back over a minute. Each server process keeps its own. */
export class CostMeter {
  readonly #perMinute: number;
  readonly #clock: Clock;
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number, clock: Clock = systemClock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  spend(caller: string, cost: number): CostBalance {
    const bucket = this.#bucket(caller, this.#clock.monotonic());
    const granted = bucket.points >= cost;
    if (granted) bucket.points -= cost;
    return {
      granted,
      remaining: Math.floor(bucket.points),
      resetAt: new Date(this.#clock.now() + this.#msFor(this.#perMinute - bucket.points)),
      retryAfterMs: granted ? 0 : this.#msFor(Math.min(cost, this.#perMinute) - bucket.points),
    };
  }

  #bucket(caller: string, now: number): Bucket {
    const known = this.#buckets.get(caller);
    const points =
      known === undefined
        ? this.#perMinute
        : Math.min(this.#perMinute, known.points + ((now - known.at) / MINUTE_MS) * this.#perMinute);
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
