import { toSluiceError, type SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../key-directory.ts';
import { noBudgets } from './budget.ts';
import { boundsFor, type BoundedRequest, type LimitBound } from './limit-bound.ts';
import { noUsage, type Reservation, type LimitStore } from './limit-store.ts';

/** Why a target may not be asked; null where it may. */
export type Refusal = SluiceError | null;

interface Taken {
  readonly model: string;
  readonly hold: Reservation;
}

/**
 * What a request takes of the limits that its key has for single models, once it falls back to another model than the one that
 * it was admitted for. Each model's limit counts the request where it was asked, and tokens where it answered.
 */
export class FallbackLimits {
  readonly #limits: LimitStore;
  readonly #key: KeyRecord;
  readonly #request: BoundedRequest;
  readonly #admitted: Reservation;
  readonly #taken: Taken[] = [];
  #isSettled = false;

  /** @param request as it was admitted */
  constructor(limits: LimitStore, key: KeyRecord, request: BoundedRequest, admitted: Reservation) {
    this.#limits = limits;
    // What a request may cost is held already, wherever it goes.
    this.#key = key.budgets.length === 0 ? key : { ...key, budgets: noBudgets };
    this.#request = request;
    this.#admitted = admitted;
  }

  /** Takes a request, its tokens and a slot of a model's own limits, unless it has them. */
  take(model: string): Refusal | Promise<Refusal> {
    const known = new Set([this.#admitted, ...this.#taken.map(({ hold }) => hold)].flatMap(idsOf));
    const bounds = this.#boundsOf(model).filter(({ id }) => !known.has(id));
    if (bounds.length === 0) return null;
    const { eventId, at, tokens } = this.#admitted;
    const hold: Reservation = { eventId: `${eventId}.${this.#taken.length + 1}`, at, bounds, tokens, costNano: 0n };
    try {
      const taking = this.#limits.reserve(this.#key, model, hold);
      if (taking === undefined) return this.#took({ model, hold });
      return taking.then(() => this.#took({ model, hold }), toSluiceError);
    } catch (error) {
      return toSluiceError(error);
    }
  }

  /**
   * Ends what was taken. @param tokens that the model used which answered, or was asked last
   * @returns the ids of bounds of the admission that are for models which did not answer
   */
  settle(model: string, tokens: number): ReadonlySet<string> {
    this.#isSettled = true;
    const ofModel = new Set(this.#boundsOf(model).map(({ id }) => id));
    for (const { hold } of this.#taken) {
      const unserved = idsOf(hold).filter((id) => !ofModel.has(id));
      this.#limits.settle(this.#key, hold, { tokens, costNano: 0n, unserved: new Set(unserved) });
    }
    return new Set(idsOf(this.#admitted).filter((id) => id.startsWith('model:') && !ofModel.has(id)));
  }

  #took(taken: Taken): null {
    // The request ended while a store outside this process was asked.
    if (this.#isSettled) this.#limits.settle(this.#key, taken.hold, noUsage);
    else this.#taken.push(taken);
    return null;
  }

  #boundsOf(model: string): readonly LimitBound[] {
    return boundsFor(this.#key, { ...this.#request, model });
  }
}

function idsOf({ bounds }: Reservation): readonly string[] {
  return bounds.map(({ id }) => id);
}
