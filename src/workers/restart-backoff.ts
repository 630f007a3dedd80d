import { systemClock, type Clock } from '../calendar/clock.ts';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;
/** A worker that has served so long was healthy: its next restart does not wait longer than a first one. */
const HEALTHY_AFTER_MS = 60_000;

/** How long to wait before a worker is started again: twice as long after each failure that soon follows the last one. */
export class RestartBackoff {
  readonly #clock: Clock;
  #failures = 0;
  #readyAt: number | null = null;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  ready(): void {
    this.#readyAt = this.#clock.monotonic();
  }

  /** @returns milliseconds until the next start */
  failed(): number {
    const wasHealthy = this.#readyAt !== null && this.#clock.monotonic() - this.#readyAt >= HEALTHY_AFTER_MS;
    this.#readyAt = null;
    if (wasHealthy) this.#failures = 0;
    return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
  }
}
