import type { Clock } from '../../calendar/clock.ts';

/** The stage that did not end in time, as the timeout error describes it. */
export interface PassedDeadline {
  readonly stage: string;
  readonly seconds: number;
}

/** The current phase, as for `AbortListener`. */
interface DeadlineListener {
  onDeadline(passed: PassedDeadline): void;
}

/** The current stage and its deadline, by the clock's `monotonic`. */
export class Deadline {
  listener: DeadlineListener | null = null;
  readonly #clock: Clock;
  #stage = '';
  #since = 0;
  #at = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  expect(stage: string, withinMs: number): void {
    this.#stage = stage;
    this.#since = this.#clock.monotonic();
    this.#at = this.#since + withinMs;
  }

  clear(): void {
    this.#at = Infinity;
  }

  check(now: number): void {
    if (now < this.#at) return;
    this.clear();
    this.listener?.onDeadline({ stage: this.#stage, seconds: Math.round((now - this.#since) / 100) / 10 });
  }
}
