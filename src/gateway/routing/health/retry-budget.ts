const MAX_RETRIES = 5;
const RETRIES_PER_SUCCESS = 0.1;

/**
 * Limits attempts beyond the first: few while everything fails, so that a failing provider is not sent a multiple of
 * its load. Successes refill it. After gRPC's retry throttling (proposal A6).
 */
export class RetryBudget {
  #left = MAX_RETRIES;

  /** @returns false where the budget is exhausted */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }

  succeeded(): void {
    if (this.#left < MAX_RETRIES) this.#left = Math.min(MAX_RETRIES, this.#left + RETRIES_PER_SUCCESS);
  }
}
