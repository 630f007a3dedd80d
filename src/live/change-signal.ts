import { systemClock, type Clock } from '../calendar/clock.ts';

/** Tells waiters within this process that something of a name has changed. Keeps nothing of what nobody waits for. */
export class ChangeSignal {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  changed(name: string): void {
    const waiting = this.#waiting.get(name);
    this.#waiting.delete(name);
    for (const wake of waiting ?? []) wake();
  }

  /** Resolves at the next change, after `withinMs`, or when `signal` aborts. */
  next(name: string, withinMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', wake);
        const waiting = this.#waiting.get(name);
        waiting?.delete(wake);
        if (waiting?.size === 0) this.#waiting.delete(name);
        resolve();
      };
      const timer = this.#clock.setTimeout(wake, withinMs).unref();
      signal.addEventListener('abort', wake);
      const waiting = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiting.add(wake));
    });
  }
}
