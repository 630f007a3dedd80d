import type { Clock } from '../../calendar/clock.ts';

/** Milliseconds since the request arrived. */
export interface Timing {
  readonly admittedMs: number;
  /** Null for none. */
  readonly firstTokenMs: number | null;
  /** Null for none. */
  readonly lastOutputMs: number | null;
  /** When it is settled. */
  readonly durationMs: number;
}

/** The times of an admitted request. */
export class RequestTimes {
  firstTokenMs: number | null = null;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #startedAt: number;
  readonly #admittedMs: number;
  #lastOutputMs: number | null = null;

  /** Made at its admission. @param startedAt on the monotonic clock */
  constructor(clock: Pick<Clock, 'monotonic'>, startedAt: number) {
    this.#clock = clock;
    this.#startedAt = startedAt;
    this.#admittedMs = clock.monotonic() - startedAt;
  }

  /** 0 before the first token. */
  get sinceFirstTokenMs(): number {
    return this.firstTokenMs === null ? 0 : this.#clock.monotonic() - this.#startedAt - this.firstTokenMs;
  }

  /** Records the first token. @returns its time */
  markFirstToken(): number {
    this.firstTokenMs = this.#clock.monotonic() - this.#startedAt;
    return this.firstTokenMs;
  }

  /** Records that output is sent to the client. */
  markOutput(): void {
    this.#lastOutputMs = this.#clock.monotonic() - this.#startedAt;
  }

  /** @param now on the monotonic clock */
  until(now: number): Timing {
    return {
      admittedMs: this.#admittedMs,
      firstTokenMs: this.firstTokenMs,
      lastOutputMs: this.#lastOutputMs,
      durationMs: now - this.#startedAt,
    };
  }
}
