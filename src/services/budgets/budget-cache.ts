import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { KeyDirectory, KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { SpendBound } from '../../gateway/keys/spend-bound.ts';
import { AccountBudgets } from './account-budgets.ts';
import { BudgetChanges } from './budget-changes.ts';
import { BudgetLoader, type BudgetLoaderDependencies, type CachedAccount } from './budget-loader.ts';
import { accountsWithBudgets, type BudgetIdOf, type KnownBudget } from './known-budget.ts';
import { unchangedBudgets } from './unchanged-budgets.ts';

const REBUILD_RETRY_MS = 1_000;
/** Rebuilds mostly wait for other processes to store their usage. */
const MAX_CONCURRENT_REBUILDS = 16;
/** The maximum time that a request waits for the allowance of a new period. */
const RENEWAL_TIMEOUT_MS = 3_000;
const RENEW_RETRY_MS = 1_000;

export interface BudgetCacheDependencies extends BudgetLoaderDependencies {
  readonly clock?: Clock;
}

/**
 * The budgets of accounts, in memory and open in the limit store, each with the amount spent in its period. Requests of a key
 * wait for a change of its budgets to be applied, not for changes of others. An account without budgets costs a map lookup.
 * Includes the allowance of plans that reject usage beyond it.
 */
export class BudgetCache {
  readonly #dependencies: BudgetCacheDependencies;
  readonly #clock: Clock;
  readonly #loader: BudgetLoader;
  readonly #changes: BudgetChanges;
  /** Only accounts that have budgets, or an allowance and a request. */
  readonly #accounts = new Map<string, CachedAccount>();
  /** Whether all accounts with budgets are known. */
  #isStarted = false;
  #rebuilt = false;
  #closed = false;

  constructor(dependencies: BudgetCacheDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    this.#loader = new BudgetLoader(dependencies, this.#clock, (accountId) => this.#accounts.delete(accountId));
    this.#changes = new BudgetChanges({
      database: dependencies.database,
      clock: this.#clock,
      idOf: dependencies.idOf,
      onBudgetsChanged: (accountId, budgetIds) => this.changed(accountId, budgetIds),
      onBalanceChanged: (accountId) => this.planOrBalanceChanged(accountId),
      onFault: dependencies.onFault,
    });
    dependencies.store.onLost((accountId) => this.#lost(accountId));
  }

  /**
   * Reads which accounts have budgets, and starts to open them.
   * @param shared whether other processes change them too: then changes are polled
   * @throws SluiceError database_unavailable
   */
  async start(shared: boolean): Promise<void> {
    await this.#changes.skip();
    for (const accountId of await accountsWithBudgets(this.#dependencies.database)) this.#account(accountId);
    this.#isStarted = true;
    if (shared) this.#changes.watch();
    this.#rebuilt = this.#accounts.size === 0;
    if (!this.#rebuilt) void this.#rebuild();
  }

  /** Whether all usage from before this process started is counted. */
  get isRebuilt(): boolean {
    return this.#rebuilt;
  }

  /**
   * A key with its budgets: at once where they are open. The same object for the same key while nothing changes; the key itself
   * where nothing bounds it.
   * @throws SluiceError database_unavailable | limits_unavailable, as the promise's rejection
   */
  of(key: KeyRecord): KeyRecord | Promise<KeyRecord> {
    const account = this.#accounts.get(key.accountId);
    if (account === undefined && key.plan.overage === 'bill') return key;
    const open = account?.open ?? null;
    const unchanged = account !== undefined && open === null ? this.#unchanged(account, key) : null;
    if (unchanged !== null) return unchanged;
    if (account === undefined || open === null)
      return this.#loader.load(key.accountId, this.#account(key.accountId)).then((budgets) => budgets.of(key));
    const isBounded = open.allowance !== null || key.plan.overage === 'refuse';
    return isBounded && this.#isOutdated(account) ? this.#renewed(account, open, key) : open.of(key);
  }

  /** A directory whose keys come with their budgets. */
  preparing(keys: KeyDirectory): KeyDirectory {
    const prepared = (key: KeyRecord): KeyRecord | Promise<KeyRecord> => this.of(key);
    return {
      find: (secret, connection) => {
        const found = keys.find(secret, connection);
        return found instanceof Promise ? found.then(prepared) : prepared(found);
      },
    };
  }

  /** An account's budgets, open. @throws SluiceError database_unavailable | limits_unavailable */
  async forAccount(accountId: string): Promise<readonly KnownBudget[]> {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return [];
    return (account.open ?? (await this.#loader.load(accountId, account))).all;
  }

  /** All open budgets and allowances, of all accounts. */
  bounds(): SpendBound[] {
    return [...this.#accounts.values()].flatMap(({ open }) => open?.bounds ?? []);
  }

  /** All open budgets, of all accounts. */
  *open(): Iterable<KnownBudget> {
    for (const { open } of this.#accounts.values()) if (open !== null) yield* open.all;
  }

  get idOf(): BudgetIdOf {
    return this.#dependencies.idOf;
  }

  /**
   * Call it after a change of an account's budgets. Resolves when later requests use the current ones.
   * @param budgetIds those that changed; all if absent
   */
  async changed(accountId: string, budgetIds?: readonly string[]): Promise<void> {
    const account = this.#account(accountId);
    if (budgetIds === undefined) account.changed = null;
    else for (const id of budgetIds) account.changed?.add(id);
    await this.#reload(accountId, account);
  }

  /** As `changed`, after a change of an account's plan or balance. */
  async planOrBalanceChanged(accountId: string): Promise<void> {
    if (this.#accounts.has(accountId)) await this.changed(accountId);
  }

  /**
   * Counts an account's spending again: the usage of an instance that ended was stored. Other processes may have opened its
   * allowance, without a request here.
   * @throws SluiceError database_unavailable | limits_unavailable
   */
  async recount(accountId: string): Promise<void> {
    const account = this.#account(accountId);
    const bounds = account.before?.bounds ?? [];
    this.#dependencies.store.recount?.(bounds);
    for (const { id } of bounds) account.changed?.add(id);
    Object.assign(account, { open: null, outdated: true });
    do {
      await this.#loader.load(accountId, account);
    } while (account.outdated);
  }

  /** Reads changes by other processes. @throws SluiceError database_unavailable */
  poll(): Promise<void> {
    return this.#changes.poll();
  }

  close(): void {
    this.#closed = true;
    this.#changes.close();
  }

  #account(accountId: string): CachedAccount {
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      account = {
        open: null,
        // Once all are known, the keys of another account have no budgets until now.
        before: this.#isStarted ? new AccountBudgets([], null, this.idOf) : null,
        loading: null,
        outdated: false,
        changed: new Set(),
        isLost: false,
        retryAt: 0,
        renewAt: 0,
        plans: null,
      };
      this.#accounts.set(accountId, account);
    }
    return account;
  }

  async #reload(accountId: string, account: CachedAccount): Promise<void> {
    account.open = null;
    account.outdated = true;
    // If they cannot be read, the next request that needs them reports that to its client.
    await this.#loader.load(accountId, account).catch(this.#dependencies.onFault);
  }

  /** The key with its previous budgets, if they are exact; loads them again in the background. */
  #unchanged(account: CachedAccount, key: KeyRecord): KeyRecord | null {
    const unchanged = unchangedBudgets(account, key, this.idOf);
    if (unchanged === null || (account.before?.allowance && this.#isOutdated(account))) return null;
    const now = this.#clock.now();
    if (account.loading === null && now >= account.retryAt) {
      account.retryAt = now + RENEW_RETRY_MS;
      void this.#reload(key.accountId, account);
    }
    return unchanged;
  }

  #isOutdated({ renewAt, plans }: CachedAccount): boolean {
    return this.#clock.now() >= renewAt || plans !== this.#dependencies.plans();
  }

  /**
   * The key with its current limits. Waits for the allowance of a new period; if it cannot be read, included usage is allowed
   * without it. Changes within a period are read in the background.
   */
  #renewed(account: CachedAccount, open: AccountBudgets, key: KeyRecord): KeyRecord | Promise<KeyRecord> {
    const renewing = this.#loader.load(key.accountId, account).catch((error: unknown) => {
      account.renewAt = this.#clock.now() + RENEW_RETRY_MS;
      this.#dependencies.onFault(error);
      if (account.open === null) throw error;
      return open;
    });
    if (open.allowance === null || this.#clock.now() < open.allowance.period.end) {
      renewing.catch(() => undefined);
      return open.of(key);
    }
    const late = new Promise<AccountBudgets>((resolve) => {
      this.#clock.setTimeout(() => resolve(account.open ?? renewing), RENEWAL_TIMEOUT_MS).unref();
    });
    return Promise.race([renewing, late]).then((budgets) => budgets.of(key));
  }

  #lost(accountId: string): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    account.isLost = true;
    if (account.loading === null) void this.#reload(accountId, account);
    else account.outdated = true;
  }

  /** Opens budgets in advance, so that requests need not wait. */
  async #rebuild(): Promise<void> {
    while (!this.#closed) {
      const waiting = [...this.#accounts].filter(([, { open }]) => open === null);
      if (waiting.length === 0) break;
      const next = async (): Promise<boolean> => {
        for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) await this.#loader.load(...each);
        return true;
      };
      const done = await Promise.all(Array.from({ length: MAX_CONCURRENT_REBUILDS }, next)).catch((error: unknown) => {
        this.#dependencies.onFault(error);
        return null;
      });
      if (done === null)
        await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, REBUILD_RETRY_MS).unref());
    }
    this.#rebuilt = true;
  }
}
