// Imported, not the global: the global is looked up at each use, which costs time on the path of a request.
import { performance } from 'node:perf_hooks';

/** A timer. As in Node, it keeps the process alive until it has run, is cancelled or `unref` is called. */
export interface Timer {
  /** Prevents it from running. No effect if it has run. */
  cancel(): void;
  /** Restarts its delay, without creating another timer. */
  refresh(): this;
  /** The process may exit before it runs. */
  unref(): this;
}

/** The time, and timers. A class that depends on time gets one, so that a test can decide what time it is. */
export interface Clock {
  /** Milliseconds since 1970. May jump when the system's time is adjusted: for moments that are stored or shown. */
  now(): number;
  /** Milliseconds, never going back, from an arbitrary start: for durations, timeouts and deadlines of this process. */
  monotonic(): number;
  /** Runs once after `ms`. As in Node, at most 2³¹ − 1. */
  setTimeout(run: () => void, ms: number): Timer;
  /** Runs every `ms` until it is cancelled. */
  setInterval(run: () => void, ms: number): Timer;
}

class SystemTimer implements Timer {
  readonly #timer: NodeJS.Timeout;

  constructor(timer: NodeJS.Timeout) {
    this.#timer = timer;
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  refresh(): this {
    this.#timer.refresh();
    return this;
  }

  unref(): this {
    this.#timer.unref();
    return this;
  }
}

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (run, ms) => new SystemTimer(setTimeout(run, ms)),
  setInterval: (run, ms) => new SystemTimer(setInterval(run, ms)),
};

/** Seconds since 1970, as in wire formats. */
export function unixSeconds(clock: Clock = systemClock): number {
  return Math.floor(clock.now() / 1_000);
}

/** Resolves after `ms`, and keeps the process alive until then. @throws the signal's reason once it is aborted */
export function delay(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const aborted = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    signal?.addEventListener('abort', aborted, { once: true });
  });
}
