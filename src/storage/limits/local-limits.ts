import type { Clock } from '../../calendar/clock.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { ActualUsage, LimitBound, Reservation } from '../../gateway/limits/limit-store.ts';
import { MemoryLimitStore } from '../../gateway/limits/memory-limit-store.ts';

/** Limits of this process while Redis is unavailable: an equal share of those of all processes. */
export class LocalLimits {
  readonly #store: MemoryLimitStore;
  /** By the reservation of a request, the one with the share. */
  readonly #reservations = new WeakMap<Reservation, Reservation>();

  constructor(clock: Clock) {
    this.#store = new MemoryLimitStore(clock);
  }

  has(reservation: Reservation): boolean {
    return this.#reservations.has(reservation);
  }

  /** @throws SluiceError the exceeded limit */
  reserve(key: KeyRecord, model: string, reservation: Reservation, processes: number): void {
    const local = { ...reservation, bounds: reservation.bounds.map((bound) => shareOf(bound, processes)) };
    this.#store.reserve(key, model, local);
    this.#reservations.set(reservation, local);
  }

  settle(key: KeyRecord, reservation: Reservation, used: ActualUsage): void {
    const local = this.#reservations.get(reservation);
    if (local !== undefined) this.#store.settle(key, local, used);
  }
}

function shareOf(bound: LimitBound, processes: number): LimitBound {
  const share = (limit: number): number => Math.max(1, Math.floor(limit / processes));
  const { requestsPerMinute, tokensPerMinute, requestsPerDay, concurrency } = bound.limits;
  return {
    ...bound,
    limits: {
      requestsPerMinute: share(requestsPerMinute),
      // A single request must still fit.
      tokensPerMinute,
      requestsPerDay: share(requestsPerDay),
      concurrency: share(concurrency),
    },
  };
}
