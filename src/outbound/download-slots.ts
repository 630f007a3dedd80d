/** Over all accounts. */
const MAX_CONCURRENT = 32;
/** So that the links of one account do not make those of others wait. */
const MAX_OF_ACCOUNT = 8;

interface Waiting {
  readonly accountId: string;
  start(): void;
}

/** Bounds how many downloads run at once, over all accounts and for each. Others wait. */
export class DownloadSlots {
  readonly #running = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #total = 0;

  /** Waits for a slot, which the caller has to release. Rejects with the signal's reason as soon as it is aborted. */
  async take(accountId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#hasRoom(accountId)) return this.#start(accountId);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting: Waiting = { accountId, start: () => resolve(true) };
    const stop = (): void => {
      this.#waiting.delete(waiting);
      resolve(false);
    };
    this.#waiting.add(waiting);
    signal.addEventListener('abort', stop, { once: true });
    const isStarted = await promise;
    signal.removeEventListener('abort', stop);
    if (!isStarted) signal.throwIfAborted();
  }

  release(accountId: string): void {
    this.#total--;
    const left = this.#countOf(accountId) - 1;
    if (left === 0) this.#running.delete(accountId);
    else this.#running.set(accountId, left);
    const next = this.#next();
    if (next === null) return;
    this.#waiting.delete(next);
    this.#start(next.accountId);
    next.start();
  }

  /** The account with the fewest downloads is next; of its downloads, the first. */
  #next(): Waiting | null {
    let next: Waiting | null = null;
    for (const waiting of this.#waiting)
      if (
        this.#hasRoom(waiting.accountId) &&
        (next === null || this.#countOf(waiting.accountId) < this.#countOf(next.accountId))
      )
        next = waiting;
    return next;
  }

  #hasRoom(accountId: string): boolean {
    return this.#total < MAX_CONCURRENT && this.#countOf(accountId) < MAX_OF_ACCOUNT;
  }

  #countOf(accountId: string): number {
    return this.#running.get(accountId) ?? 0;
  }

  #start(accountId: string): void {
    this.#total++;
    this.#running.set(accountId, this.#countOf(accountId) + 1);
  }
}
