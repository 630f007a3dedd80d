import { systemClock, type Clock } from '../calendar/clock.ts';

/** Notifies waiters in this process of a change under a name. Changes without waiters are not stored. */
export class ChangeSignal {
  readonly #clock: Clock;
  readonly #waiters = new Map<string, Set<() => void>>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  notify(name: string): void {
    const waiters = this.#waiters.get(name);
    this.#waiters.delete(name);
    for (const wake of waiters ?? []) wake();
  }

  /** Resolves at the next change, after `withinMs`, or when `signal` aborts. */
  next(name: string, withinMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', wake);
        const waiters = this.#waiters.get(name);
        waiters?.delete(wake);
        if (waiters?.size === 0) this.#waiters.delete(name);
        resolve();
      };
      const timer = this.#clock.setTimeout(wake, withinMs).unref();
      signal.addEventListener('abort', wake);
      const waiters = this.#waiters.get(name) ?? new Set();
      this.#waiters.set(name, waiters.add(wake));
    });
  }
}
