import type { HeldReservations } from './held-reservations.ts';
import type { MemoryLimitStore } from '../memory-limit-store.ts';
import type { Operation, Replies } from './operations.ts';
import type { BudgetOpener, SharedBudgets } from './shared-budgets.ts';
import { decodeBudget, decodeCharges, decodeSpender, encodeLimit } from './wire-form.ts';

interface BudgetOperationsDependencies {
  readonly store: MemoryLimitStore;
  readonly budgets: SharedBudgets;
  readonly held: HeldReservations;
}

type BudgetOperation = Extract<
  Operation,
  readonly [
    'charge' | 'defer' | 'releaseDeferred' | 'retain' | 'open' | 'add' | 'cancelCount' | 'close' | 'state',
    ...unknown[],
  ]
>;

/** The operations of one worker on budgets. */
export class BudgetOperations {
  readonly #opener: BudgetOpener;
  readonly #dependencies: BudgetOperationsDependencies;

  constructor(opener: BudgetOpener, dependencies: BudgetOperationsDependencies) {
    this.#opener = opener;
    this.#dependencies = dependencies;
  }

  run(operation: BudgetOperation): unknown {
    const { store, budgets, held } = this.#dependencies;
    switch (operation[0]) {
      case 'charge': {
        const [, spender, charges] = operation;
        const charged = decodeSpender(spender);
        if (!budgets.isAnyOpen(charged)) return null;
        decodeCharges(charges, (costNano, at, ended) => {
          store.charge(charged, costNano, at);
          budgets.charged(charged, { costNano, at, ended });
        });
        return null;
      }
      case 'defer': {
        const [, id, spender, cost] = operation;
        return store.reserveForDeferredCharge({ id, spender: decodeSpender(spender), costNano: BigInt(cost) });
      }
      case 'releaseDeferred':
        return store.releaseDeferredCharge({ id: operation[1], spender: decodeSpender(operation[2]) });
      case 'retain':
        return store.retain(operation[1].map(decodeBudget), new Set(operation[2]));
      case 'open':
        return budgets.open(decodeBudget(operation[1]), this.#opener);
      case 'add': {
        const [, budget, spent, at] = operation;
        budgets.add(decodeBudget(budget), BigInt(spent), at, this.#opener);
        return null;
      }
      case 'cancelCount':
      case 'close': {
        const budget = decodeBudget(operation[1]);
        if (operation[0] === 'close') budgets.close(budget);
        else budgets.cancelCount(budget, this.#opener);
        if (!budgets.isOpen(budget.id)) held.closed(budget.id);
        return null;
      }
      case 'state':
        return this.#state(operation[1]);
    }
  }

  #state(text: string): Replies['state'] {
    const state = this.#dependencies.budgets.state(decodeBudget(text));
    if (state === null) return null;
    const { period, spentNano, reservedNano } = state;
    return {
      spent: String(spentNano),
      reserved: String(reservedNano),
      period: [period.start, encodeLimit(period.end)],
    };
  }
}
