import type { LimitedKey } from '../limited-key.ts';
import type { LimitBound } from '../limit-store.ts';
import type { Operation } from './operations.ts';
import { decodeBound, decodeBudget } from './wire-form.ts';

/** The keys and bounds that a worker refers to by number. */
export class DefinedObjects {
  readonly #bounds = new Map<number, readonly LimitBound[]>();
  readonly #keys = new Map<number, LimitedKey>();

  define(operation: Extract<Operation, readonly ['bounds' | 'key' | 'forget', ...unknown[]]>): void {
    switch (operation[0]) {
      case 'bounds': {
        const [, number, ...bounds] = operation;
        this.#bounds.set(number, bounds.map(decodeBound));
        break;
      }
      case 'key': {
        const [, number, [accountId, id, memberId, hasAllowance], ...budgets] = operation;
        const overage = hasAllowance ? 'refuse' : 'bill';
        this.#keys.set(number, { id, accountId, memberId, plan: { overage }, budgets: budgets.map(decodeBudget) });
        break;
      }
      case 'forget':
        this.#bounds.clear();
        this.#keys.clear();
    }
  }

  key(number: number): LimitedKey {
    return defined(this.#keys, number);
  }

  bounds(number: number): readonly LimitBound[] {
    return defined(this.#bounds, number);
  }
}

function defined<Value>(values: ReadonlyMap<number, Value>, number: number): Value {
  const value = values.get(number);
  if (value === undefined) throw new Error(`${number} is not defined`);
  return value;
}
