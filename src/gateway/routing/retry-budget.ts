const MOST = 5;
const EARNED_BY_SUCCESS = 0.1;

/**
 * How many tries beyond the first a plan may still make: few when everything fails, so that a provider in trouble is not
 * sent a multiple of what it could not serve. Successes earn it back. After gRPC's retry throttling (proposal A6).
 */
export class RetryBudget {
  #left = MOST;

  /** @returns false where nothing is left */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }

  succeeded(): void {
    if (this.#left < MOST) this.#left = Math.min(MOST, this.#left + EARNED_BY_SUCCESS);
  }
}
