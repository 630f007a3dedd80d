import type { Clock, Timer } from '../../calendar/clock.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { LimitStore } from '../limits/limit-store.ts';

/** Lines of batches that run at the same time in this process, while it has no other requests. */
const MAX_RUNNING = 16;
/** Every so many other requests that are open take the place of one line. */
const REQUESTS_PER_PLACE = 4;
/** The part of a key's limits that lines leave to other requests: a tenth. */
const FREE_SHARE = 10;
/** How often a line that waits looks for room that it is not notified of. */
const LOOK_INTERVAL_MS = 100;

export interface BatchLaneDependencies {
  readonly pipeline: { readonly openCount: number };
  readonly limits: Pick<LimitStore, 'view'>;
  readonly clock: Clock;
}

/** Whether a wait is over for another reason. */
export interface Waiter {
  readonly isOver: boolean;
}

/**
 * The low-priority lane of a process: lines run only where other requests leave room, of the process and of their key's limits.
 * One always may, so that a batch ends on a busy server, too.
 */
export class BatchLane {
  readonly #dependencies: BatchLaneDependencies;
  readonly #runningOf = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  #running = 0;
  #timer: Timer | null = null;

  constructor(dependencies: BatchLaneDependencies) {
    this.#dependencies = dependencies;
  }

  /** Waits for a place. @returns a function that leaves it; null if the wait was over before */
  async enter(waiter: Waiter, key: KeyRecord): Promise<(() => void) | null> {
    while (!waiter.isOver) {
      if (this.#hasRoom(key)) return this.#occupy(key.accountId);
      await this.#changed();
    }
    return null;
  }

  /** Resolves after `ms`, or soon after the wait is over. */
  async pause(waiter: Waiter, ms: number): Promise<void> {
    const { clock } = this.#dependencies;
    const until = clock.monotonic() + ms;
    while (!waiter.isOver && clock.monotonic() < until)
      await this.#sleep(Math.min(LOOK_INTERVAL_MS, until - clock.monotonic()));
  }

  #hasRoom(key: KeyRecord): boolean {
    const { pipeline, limits } = this.#dependencies;
    const others = Math.max(0, pipeline.openCount - this.#running);
    if (this.#running >= Math.max(1, MAX_RUNNING - Math.floor(others / REQUESTS_PER_PLACE))) return false;
    const concurrency = Math.min(key.limits.concurrency, key.accountLimits?.concurrency ?? Infinity);
    if ((this.#runningOf.get(key.accountId) ?? 0) >= Math.max(1, Math.floor(concurrency / 2))) return false;
    const { limitRequests, remainingRequests, limitTokens, remainingTokens } = limits.view(key);
    return leavesShare(remainingRequests, limitRequests) && leavesShare(remainingTokens, limitTokens);
  }

  #occupy(accountId: string): () => void {
    this.#running++;
    this.#runningOf.set(accountId, (this.#runningOf.get(accountId) ?? 0) + 1);
    return () => {
      this.#running--;
      const left = (this.#runningOf.get(accountId) ?? 1) - 1;
      if (left === 0) this.#runningOf.delete(accountId);
      else this.#runningOf.set(accountId, left);
      this.#wake();
    };
  }

  /** Other requests end without notice, and limits refill with time. */
  #changed(): Promise<void> {
    this.#timer ??= this.#dependencies.clock.setTimeout(() => this.#wake(), LOOK_INTERVAL_MS).unref();
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #wake(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#dependencies.clock.setTimeout(resolve, ms).unref());
  }
}

function leavesShare(remaining: number, limit: number): boolean {
  return limit === Infinity || remaining * FREE_SHARE >= limit;
}
