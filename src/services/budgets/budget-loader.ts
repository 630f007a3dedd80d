import type { Clock } from '../../calendar/clock.ts';
import type { Allowance } from '../../gateway/keys/spend-bound.ts';
import type { PlanCatalogue } from '../plans/plan.ts';
import { AccountBudgets } from './account-budgets.ts';
import { Allowances } from './allowances.ts';
import { BudgetOpener, type BudgetOpenerDependencies } from './budget-opener.ts';
import { readBudgets, type BudgetIdOf } from './known-budget.ts';

/** An account whose budgets are loaded or being loaded. */
export interface CachedAccount {
  /** Null until they are open, and after a change. */
  open: AccountBudgets | null;
  /** The previously open ones. */
  before: AccountBudgets | null;
  loading: Promise<AccountBudgets> | null;
  /** Changed since they were last read. */
  outdated: boolean;
  /** Ids of those that may differ from `before`; null for all. */
  changed: Set<string> | null;
  /** The store lost its state. */
  isLost: boolean;
  /** When they are loaded again after that failed, in milliseconds since the epoch, by requests that need not wait for it. */
  retryAt: number;
  /** When its allowance has to be read again, in milliseconds since the epoch. */
  renewAt: number;
  /** The plans with which its allowance was read. */
  plans: PlanCatalogue | null;
}

export interface BudgetLoaderDependencies extends BudgetOpenerDependencies {
  readonly idOf: BudgetIdOf;
  /** As currently configured. */
  readonly plans: () => PlanCatalogue;
}

/** Reads the budgets of accounts and opens them, and closes those that were removed. */
export class BudgetLoader {
  readonly #dependencies: BudgetLoaderDependencies;
  readonly #clock: Clock;
  readonly #opener: BudgetOpener;
  readonly #allowances: Allowances;
  readonly #onUnlimited: (accountId: string) => void;

  /** @param onUnlimited called when an account turns out to have no budgets and no allowance */
  constructor(dependencies: BudgetLoaderDependencies, clock: Clock, onUnlimited: (accountId: string) => void) {
    this.#dependencies = dependencies;
    this.#clock = clock;
    this.#onUnlimited = onUnlimited;
    this.#opener = new BudgetOpener(dependencies, clock);
    const { database, idOf, plans } = dependencies;
    this.#allowances = new Allowances({ database, idOf, plans, clock });
  }

  /** Shares one load among concurrent callers. @throws SluiceError database_unavailable | limits_unavailable */
  load(accountId: string, account: CachedAccount): Promise<AccountBudgets> {
    return (account.loading ??= this.#load(accountId, account));
  }

  async #load(accountId: string, account: CachedAccount): Promise<AccountBudgets> {
    const { database, idOf } = this.#dependencies;
    const before = account.before;
    try {
      let all, known, plans;
      do {
        account.outdated = false;
        plans = this.#allowances.plans;
        // Its final amount must be in the log.
        if (before?.allowance && this.#clock.now() >= before.allowance.period.end) await this.#opener.drain(accountId);
        all = await readBudgets(database, idOf, accountId);
        known = await this.#allowances.of(accountId);
        if (before?.allowance && known && !follows(before.allowance, known.budget)) {
          // A closed budget must not be used: it would limit nothing.
          account.open = null;
          account.changed = null;
          await this.#opener.close(before.allowance);
        }
        const bounds = [...all.map(({ budget }) => budget), ...(known === null ? [] : [known.budget])];
        // Opening them replaces what the store has of them.
        for (const id of before?.differing(bounds) ?? []) account.changed?.add(id);
        await this.#opener.openAll([
          ...all.map(({ apiKeyId, member, budget }) => ({
            budget,
            spender: { accountId, apiKeyId: apiKeyId ?? undefined, memberId: member?.id },
          })),
          ...(known === null ? [] : [{ budget: known.budget, spender: { accountId } }]),
        ]);
      } while (account.outdated);
      const allowance = known?.budget ?? null;
      const isSame = before?.equals(all, allowance) === true;
      const budgets = isSame ? before : new AccountBudgets(all, allowance, idOf);
      await this.#opener.closeOthers(before?.bounds ?? [], budgets.bounds);
      Object.assign(account, { before: budgets, renewAt: known?.refreshAt ?? Infinity, plans });
      if (!account.outdated) Object.assign(account, { open: budgets, changed: new Set(), isLost: false });
      if (budgets.bounds.length === 0 && !account.outdated) this.#onUnlimited(accountId);
      return budgets;
    } finally {
      // Synchronously with the result, so that no request joins a completed load.
      account.loading = null;
    }
  }
}

/** Whether a store that counts the first derives the second one's period itself. */
function follows({ period }: Allowance, { period: { start } }: Allowance): boolean {
  return start === period.start || start === period.end;
}
