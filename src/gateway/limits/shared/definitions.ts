import type { KeyRecord } from '../../keys/key-directory.ts';
import { spenderOf } from '../budget.ts';
import type { LimitBound } from '../limit-store.ts';
import type { TurnBatch } from './turn-batch.ts';
import { encodeBound, encodeBudget, encodeSpender } from './wire-form.ts';

/** The supervisor holds so many per worker. */
const MAX_DEFINITIONS = 20_000;

/** Numbers of keys and bounds, which the supervisor learns once. */
export class Definitions {
  readonly #batch: TurnBatch;
  #numbers = new WeakMap<object, number>();
  #last = 0;
  #limit = MAX_DEFINITIONS;

  constructor(batch: TurnBatch) {
    this.#batch = batch;
  }

  /** The numbers hold until the end of the call that asked for them. */
  of(key: KeyRecord, bounds: readonly LimitBound[]): readonly [key: number, bounds: number] {
    if (this.#last >= this.#limit) {
      this.#numbers = new WeakMap();
      this.#limit = this.#last + MAX_DEFINITIONS;
      this.#batch.add(['forget']);
    }
    return [this.#numbers.get(key) ?? this.#defineKey(key), this.#numbers.get(bounds) ?? this.#defineBounds(bounds)];
  }

  #defineKey(key: KeyRecord): number {
    const number = ++this.#last;
    this.#numbers.set(key, number);
    this.#batch.add(['key', number, encodeSpender(spenderOf(key)), ...key.budgets.map(encodeBudget)]);
    return number;
  }

  #defineBounds(bounds: readonly LimitBound[]): number {
    const number = ++this.#last;
    this.#numbers.set(bounds, number);
    this.#batch.add(['bounds', number, ...bounds.map(encodeBound)]);
    return number;
  }
}
