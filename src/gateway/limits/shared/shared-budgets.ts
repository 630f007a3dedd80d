import type { SpendBound } from '../../keys/spend-bound.ts';
import { budgetIds, type BudgetState, type Spender } from '../budget.ts';
import { haveSamePeriod } from '../open-budget.ts';
import type { MemoryLimitStore } from '../memory-limit-store.ts';

/** A worker that opens budgets. */
export interface BudgetOpener {
  readonly slot: number;
}

interface Charge {
  readonly costNano: bigint;
  /** When its request began, in milliseconds since the epoch. */
  readonly at: number;
  /** When it was charged. */
  readonly ended: number;
}

/** The spending of a budget is being read from the database. */
interface Count {
  readonly by: BudgetOpener;
  /** Slots whose interrupted requests will be in the result. */
  readonly recovered: ReadonlySet<number>;
  /** Since the budget was opened. */
  readonly charges: Charge[];
}

interface SharedBudget {
  budget: SpendBound;
  /** Its spending is known. */
  isReady: boolean;
  /** The workers that counted it. Each one does, because its journal may contain what no other process knows. */
  readonly countedBy: Set<BudgetOpener>;
  mustRecount: boolean;
  count: Count | null;
  readonly waiting: (() => void)[];
}

/** Budgets that several workers use: one of them counts what was spent, while the others wait or use the amount known so far. */
export class SharedBudgets {
  readonly #store: MemoryLimitStore;
  readonly #budgets = new Map<string, SharedBudget>();
  readonly #recoveredSlots: () => Iterable<number>;
  readonly #onCounted: (budgetId: string, recovered: ReadonlySet<number>) => void;

  /**
   * @param recoveredSlots slots whose interrupted requests are in the database
   * @param onCounted called when a budget contains the spending of these slots' interrupted requests
   */
  constructor(
    store: MemoryLimitStore,
    recoveredSlots: () => Iterable<number>,
    onCounted: (budgetId: string, recovered: ReadonlySet<number>) => void,
  ) {
    this.#store = store;
    this.#recoveredSlots = recoveredSlots;
    this.#onCounted = onCounted;
  }

  /** Whether a budget is open with these periods, and its spending known. */
  isReady(budget: SpendBound): boolean {
    const known = this.#budgets.get(budget.id);
    return known !== undefined && known.isReady && haveSamePeriod(known.budget, budget);
  }

  /** @returns whether the worker has to call `add`; waits while another one counts the spending */
  open(budget: SpendBound, opener: BudgetOpener): boolean | Promise<boolean> {
    const known = this.#budgets.get(budget.id);
    const isSame = known !== undefined && haveSamePeriod(known.budget, budget);
    if (isSame && known.count !== null && known.count.by !== opener)
      return new Promise<void>((resolve) => known.waiting.push(resolve)).then(() => this.open(budget, opener));
    const isNew = this.#store.open(budget);
    const shared =
      known !== undefined && !isNew
        ? known
        : { budget, isReady: false, countedBy: new Set<BudgetOpener>(), mustRecount: false, count: null, waiting: [] };
    shared.budget = budget;
    this.#budgets.set(budget.id, shared);
    if (known !== undefined && known !== shared) wake(known);
    if (shared.isReady && shared.countedBy.has(opener) && !shared.mustRecount) return false;
    shared.count = { by: opener, recovered: new Set([...this.#recoveredSlots(), opener.slot]), charges: [] };
    return true;
  }

  /** @param spentNano by requests that ended before `at`, which is after `open` */
  add(budget: SpendBound, spentNano: bigint, at: number, opener: BudgetOpener): void {
    const known = this.#budgets.get(budget.id);
    const count = known?.count;
    // Another one has taken over.
    if (known === undefined || count?.by !== opener) return;
    const state = this.#store.state(budget);
    if (state !== null) this.#store.add(budget, missingNano(state, spentNano, at, count.charges), at);
    known.isReady = true;
    known.countedBy.add(opener);
    known.mustRecount = false;
    known.count = null;
    this.#onCounted(budget.id, count.recovered);
    wake(known);
  }

  /** A budget that could not be counted again remains open for others. */
  cancelCount(budget: SpendBound, opener: BudgetOpener): void {
    const known = this.#budgets.get(budget.id);
    // It was counted, or another one has taken over.
    if (known === undefined || known.count?.by !== opener) return;
    if (!known.isReady) return this.close(budget);
    known.count = null;
    wake(known);
  }

  close(budget: SpendBound): void {
    const known = this.#budgets.get(budget.id);
    this.#store.close(budget);
    this.#budgets.delete(budget.id);
    if (known !== undefined) wake(known);
  }

  /** Null for one whose spending is not known. */
  state(budget: SpendBound): Readonly<BudgetState> | null {
    return this.isReady(budget) ? this.#store.state(budget) : null;
  }

  isOpen(budgetId: string): boolean {
    return this.#budgets.has(budgetId);
  }

  /** Whether what a spender is charged counts in any budget. */
  isAnyOpen(spender: Spender): boolean {
    return this.#budgets.size > 0 && budgetIds(spender).some((id) => this.#budgets.has(id));
  }

  /** A cost was charged to a spender's budgets. */
  charged(spender: Spender, charge: Charge): void {
    if (this.#budgets.size === 0 || charge.costNano === 0n) return;
    for (const id of budgetIds(spender)) this.#budgets.get(id)?.count?.charges.push(charge);
  }

  /** The next worker that opens one of these counts it again. */
  recount(budgetIdsToCount: Iterable<string>): void {
    for (const id of budgetIdsToCount) {
      const known = this.#budgets.get(id);
      if (known !== undefined) known.mustRecount = true;
    }
  }

  /** A worker has ended: another one counts what it did not finish. */
  left(opener: BudgetOpener): void {
    for (const known of this.#budgets.values()) {
      known.countedBy.delete(opener);
      this.cancelCount(known.budget, opener);
    }
  }
}

function wake({ waiting }: SharedBudget): void {
  for (const resume of waiting.splice(0)) resume();
}

/**
 * What a budget lacks of the spending that the database and later charges show. Never less than zero: charges that are not
 * stored yet count all the same.
 */
function missingNano(
  { period, spentNano }: Readonly<BudgetState>,
  storedNano: bigint,
  at: number,
  charges: readonly Charge[],
): bigint {
  let totalNano = storedNano;
  for (const charge of charges) if (charge.ended >= at && charge.at >= period.start) totalNano += charge.costNano;
  return totalNano > spentNano ? totalNano - spentNano : 0n;
}
