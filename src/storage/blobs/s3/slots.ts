import { systemClock, type Clock } from '../../../calendar/clock.ts';
import { SluiceError } from '../../../errors/index.ts';
import { RETRY_AFTER_MS } from './s3-errors.ts';

/** Bounds how many work at once; others wait in the order in which they came, for a bounded time. */
export class Slots {
  readonly #count: number;
  readonly #waitMs: number;
  readonly #clock: Clock;
  #free: number;
  readonly #waiting = new Set<() => void>();

  /** @param waitMs how long one may wait */
  constructor(count: number, waitMs: number, clock: Clock = systemClock) {
    this.#count = count;
    this.#free = count;
    this.#waitMs = waitMs;
    this.#clock = clock;
  }

  /**
   * @returns a function that gives the slot back; only its first call counts
   * @throws SluiceError storage_unavailable, where none is free in time
   */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await this.#wait();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = this.#waiting;
      if (next === undefined) this.#free++;
      else next();
    };
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        timer.cancel();
        this.#waiting.delete(start);
        resolve();
      };
      const timer = this.#clock.setTimeout(() => {
        this.#waiting.delete(start);
        const detail = `object storage: ${this.#count} files were being written, and none ended within ${this.#waitMs} ms`;
        reject(new SluiceError('storage_unavailable', { retryAfterMs: RETRY_AFTER_MS, detail }));
      }, this.#waitMs);
      this.#waiting.add(start);
    });
  }
}
