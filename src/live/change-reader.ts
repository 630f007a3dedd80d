import type { Clock } from '../calendar/clock.ts';
import type { BusListener } from './live-bus.ts';

/** A reader with more unread changes reads all objects. */
const MAX_UNREAD = 1_000;

/** Collects the IDs of objects that have changed until they are read: a slow reader needs no more memory than that. */
export class ChangeReader implements BusListener {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #unread = new Set<string>();
  #hasLost = false;
  #wake: (() => void) | null = null;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  onMessage(id: string): void {
    if (!this.#hasLost) this.#unread.add(id);
    if (this.#unread.size > MAX_UNREAD) return this.onLoss();
    this.#wake?.();
  }

  onLoss(): void {
    this.#unread.clear();
    this.#hasLost = true;
    this.#wake?.();
  }

  /**
   * The objects that have changed since the last call, as soon as there are some. Not for calls at the same time.
   * @returns null where any may have changed: changes were lost, there were none within `withinMs`, or the signal has aborted
   */
  async next(withinMs: number): Promise<ReadonlySet<string> | null> {
    if (this.#unread.size === 0 && !this.#hasLost) await this.#change(withinMs);
    const unread = this.#unread;
    this.#unread = new Set();
    this.#hasLost = false;
    return unread.size === 0 ? null : unread;
  }

  #change(withinMs: number): Promise<void> {
    if (this.#signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        timer.cancel();
        this.#signal.removeEventListener('abort', wake);
        this.#wake = null;
        resolve();
      };
      const timer = this.#clock.setTimeout(wake, withinMs).unref();
      this.#signal.addEventListener('abort', wake);
      this.#wake = wake;
    });
  }
}
