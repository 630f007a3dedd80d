import type { Clock } from '../../calendar/clock.ts';

const MAX_RECORDS = 200;
const REFILL_MS = 10_000;

/** How many rejected requests this process may still record individually: 200 at once, and one more every 10 seconds. */
export class RecordBudget {
  readonly #clock: Clock;
  #records = MAX_RECORDS;
  #refilledAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#refilledAt = clock.monotonic();
  }

  tryConsume(): boolean {
    const refills = Math.floor((this.#clock.monotonic() - this.#refilledAt) / REFILL_MS);
    this.#records = Math.min(MAX_RECORDS, this.#records + refills);
    this.#refilledAt += refills * REFILL_MS;
    if (this.#records === 0) return false;
    this.#records--;
    return true;
  }
}
