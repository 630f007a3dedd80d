import { toSluiceError, type SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import { noBudgets } from './budget.ts';
import {
  noUsage,
  type Reservation,
  type LimitStore,
  boundsFor,
  type BoundedRequest,
  type LimitBound,
} from './limit-store.ts';

/** The error that rules out a target; null where it may be used. */
export type Refusal = SluiceError | null;

interface ModelReservation {
  readonly model: string;
  readonly reservation: Reservation;
}

/**
 * Reserves the model limits of a key for a request that falls back to another model than it was admitted for. A model's
 * limits count each request sent to it, and the tokens where it responded.
 */
export class FallbackLimits {
  readonly #limits: LimitStore;
  readonly #key: KeyRecord;
  readonly #request: BoundedRequest;
  readonly #admitted: Reservation;
  readonly #reservations: ModelReservation[] = [];
  #isSettled = false;

  /** @param request as admitted */
  constructor(limits: LimitStore, key: KeyRecord, request: BoundedRequest, admitted: Reservation) {
    this.#limits = limits;
    // The maximum cost of all targets is reserved already.
    this.#key = key.budgets.length === 0 ? key : { ...key, budgets: noBudgets };
    this.#request = request;
    this.#admitted = admitted;
  }

  /** Reserves a request, its tokens and a slot in a model's own limits, unless they are reserved already. */
  reserve(model: string): Refusal | Promise<Refusal> {
    const known = new Set([this.#admitted, ...this.#reservations.map(({ reservation }) => reservation)].flatMap(idsOf));
    const bounds = this.#boundsOf(model).filter(({ id }) => !known.has(id));
    if (bounds.length === 0) return null;
    const { eventId, at, tokens } = this.#admitted;
    const reservation: Reservation = {
      eventId: `${eventId}.${this.#reservations.length + 1}`,
      at,
      bounds,
      tokens,
      costNano: 0n,
    };
    try {
      const reserving = this.#limits.reserve(this.#key, model, reservation);
      if (reserving === undefined) return this.#add({ model, reservation });
      return reserving.then(() => this.#add({ model, reservation }), toSluiceError);
    } catch (error) {
      return toSluiceError(error);
    }
  }

  /**
   * Settles the reservations.
   * @param tokens used by the model that responded, or was tried last
   * @returns ids of bounds in the admission that belong to models which did not respond
   */
  settle(model: string, tokens: number): ReadonlySet<string> {
    this.#isSettled = true;
    const ofModel = new Set(this.#boundsOf(model).map(({ id }) => id));
    for (const { reservation } of this.#reservations) {
      const unserved = idsOf(reservation).filter((id) => !ofModel.has(id));
      this.#limits.settle(this.#key, reservation, { tokens, costNano: 0n, unserved: new Set(unserved) });
    }
    return new Set(idsOf(this.#admitted).filter((id) => id.startsWith('model:') && !ofModel.has(id)));
  }

  #add(entry: ModelReservation): null {
    // The request ended while a remote store was called.
    if (this.#isSettled) this.#limits.settle(this.#key, entry.reservation, noUsage);
    else this.#reservations.push(entry);
    return null;
  }

  #boundsOf(model: string): readonly LimitBound[] {
    return boundsFor(this.#key, { ...this.#request, model });
  }
}

function idsOf({ bounds }: Reservation): readonly string[] {
  return bounds.map(({ id }) => id);
}
