import type { Clock } from '../../calendar/clock.ts';

/** The current stage and its deadline, by the clock's `monotonic`. */
export class Deadline {
  readonly #clock: Clock;
  #what = '';
  #since = 0;
  #at = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  expect(what: string, withinMs: number): void {
    this.#what = what;
    this.#since = this.#clock.monotonic();
    this.#at = this.#since + withinMs;
  }

  clear(): void {
    this.#at = Infinity;
  }

  hasPassed(now: number): boolean {
    return now >= this.#at;
  }

  /** The values of the timeout error. */
  describe(now: number): { stage: string; seconds: number } {
    return { stage: this.#what, seconds: Math.round((now - this.#since) / 100) / 10 };
  }
}
