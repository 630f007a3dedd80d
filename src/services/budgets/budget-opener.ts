import type { Clock } from '../../calendar/clock.ts';
import { calendarPeriod } from '../../calendar/period.ts';
import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import type { SpendBound } from '../../gateway/keys/spend-bound.ts';
import type { BudgetStore } from '../../gateway/limits/limit-store.ts';
import { databaseUnavailable } from '../database-availability.ts';
import { spentNano, type SpentBy } from './spent-rows.ts';

export interface BudgetOpenerDependencies {
  readonly database: Database;
  readonly store: BudgetStore;
  /** Resolves when the database contains every request of an account that was settled before the call. */
  readonly drain: (accountId: string) => Promise<void>;
  /** Reserves deferred charges in newly opened budgets of an account, and releases all others. */
  readonly reserveDeferred: (budgets: readonly SpendBound[]) => Promise<void>;
  /** Receives the error when budgets could not be read. */
  readonly onFault: (error: unknown) => void;
}

/** A budget or allowance, and its spender. */
interface Bounded {
  readonly budget: SpendBound;
  readonly spender: SpentBy;
}

/** Opens budgets in the limit store, each with the amount spent in its period. */
export class BudgetOpener {
  readonly #dependencies: BudgetOpenerDependencies;
  readonly #clock: Clock;

  constructor(dependencies: BudgetOpenerDependencies, clock: Clock) {
    this.#dependencies = dependencies;
    this.#clock = clock;
  }

  /**
   * All are of one account. Requests that settle after a budget was opened are counted in it; earlier ones are in the rows once the journal is
   * drained.
   */
  async openAll(all: readonly Bounded[]): Promise<void> {
    const counting: { readonly bounded: Bounded; readonly at: number }[] = [];
    try {
      for (const bounded of all)
        if (await this.#dependencies.store.open(bounded.budget)) counting.push({ bounded, at: this.#clock.now() });
      const [first] = counting;
      if (first === undefined) return;
      await this.drain(first.bounded.budget.accountId);
      // Before others can use them.
      await this.#dependencies.reserveDeferred(counting.map(({ bounded }) => bounded.budget));
      for (let next = counting[0]; next !== undefined; next = counting[0]) {
        await this.#fill(next.bounded, next.at);
        counting.shift();
      }
    } catch (error) {
      // If the amount spent is not known, a budget must not appear as unspent. Those that were counted stay: others use them.
      for (const { bounded } of counting) await this.#tried(() => this.#dependencies.store.cancelCount(bounded.budget));
      throw error;
    }
  }

  /** @throws SluiceError database_unavailable */
  async drain(accountId: string): Promise<void> {
    try {
      await this.#dependencies.drain(accountId);
    } catch (cause) {
      throw cause instanceof SluiceError ? cause : databaseUnavailable(cause);
    }
  }

  /** Closes those that are not open any more. */
  async closeOthers(before: readonly SpendBound[], now: readonly SpendBound[]): Promise<void> {
    const current = new Set(now.map(({ id }) => id));
    for (const budget of before) if (!current.has(budget.id)) await this.close(budget);
  }

  close(budget: SpendBound): Promise<void> {
    return this.#tried(() => this.#dependencies.store.close(budget));
  }

  /** An unavailable store loses it by itself, or is reset when the budget is next opened. */
  async #tried(step: () => void | Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#dependencies.onFault(error);
    }
  }

  async #fill({ budget, spender }: Bounded, at: number): Promise<void> {
    const isAllowance = budget.subject === 'allowance';
    const { start: from } = isAllowance ? budget.period : calendarPeriod(budget.period, budget.timeZone, at);
    const spent = await spentNano(this.#dependencies.database, spender, { from, endedBefore: at });
    await this.#dependencies.store.add(budget, spent, at);
  }
}
