import { performance } from 'node:perf_hooks';

/** What is waited for now, and until when. Times are of `performance.now()`. */
export class Deadline {
  #what = '';
  #since = 0;
  #at = Infinity;

  expect(what: string, withinMs: number): void {
    this.#what = what;
    this.#since = performance.now();
    this.#at = this.#since + withinMs;
  }

  lift(): void {
    this.#at = Infinity;
  }

  hasPassed(now: number): boolean {
    return now >= this.#at;
  }

  /** For the error that tells of it. */
  describe(now: number): { stage: string; seconds: number } {
    return { stage: this.#what, seconds: Math.round((now - this.#since) / 100) / 10 };
  }
}
