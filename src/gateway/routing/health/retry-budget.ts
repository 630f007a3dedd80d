const MAX_RETRIES = 5;
const RETRIES_PER_SUCCESS = 0.1;

/**
 * Limits attempts beyond the first: few while everything fails, so that a failing provider is not sent a multiple of
 * its load. Successes refill it. After gRPC's retry throttling (proposal A6).
 */
export class RetryBudget {
  #remaining = MAX_RETRIES;

  /** @returns false where the budget is exhausted */
  tryConsume(): boolean {
    if (this.#remaining < 1) return false;
    this.#remaining--;
    return true;
  }

  recordSuccess(): void {
    if (this.#remaining < MAX_RETRIES) this.#remaining = Math.min(MAX_RETRIES, this.#remaining + RETRIES_PER_SUCCESS);
  }
}
