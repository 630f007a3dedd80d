import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import type { KeyDirectory, KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { Allowance, SpendBound } from '../../gateway/keys/spend-bound.ts';
import type { PlanCatalogue } from '../plans/plan.ts';
import { AccountBudgets } from './account-budgets.ts';
import { Allowances } from './allowances.ts';
import { BudgetOpener, type BudgetOpenerParts } from './budget-opener.ts';
import { accountsWithBudgets, changedBudgets, readBudgets, type BudgetIdOf, type KnownBudget } from './known-budget.ts';
import { NewCredit } from './new-credit.ts';

const POLL_INTERVAL_MS = 2_000;
/** A row becomes visible at commit, up to this long after its timestamp. */
const SLACK_MS = 60_000;
const REBUILD_RETRY_MS = 1_000;
/** Rebuilds mostly wait for other processes to store their usage. */
const MAX_CONCURRENT_REBUILDS = 16;
/** The maximum time that a request waits for the allowance of a new period. */
const RENEWED_WITHIN_MS = 3_000;
const RENEW_RETRY_MS = 1_000;

export interface BudgetCacheParts extends BudgetOpenerParts {
  readonly idOf: BudgetIdOf;
  /** As currently configured. */
  readonly plans: () => PlanCatalogue;
  readonly clock?: Clock;
}

interface Account {
  /** Null until they are open, and after a change. */
  open: AccountBudgets | null;
  /** The previously open ones. */
  before: AccountBudgets | null;
  loading: Promise<AccountBudgets> | null;
  /** Changed since they were last read. */
  outdated: boolean;
  /** When its allowance has to be read again, in milliseconds since the epoch. */
  renewAt: number;
  /** The plans with which its allowance was read. */
  plans: PlanCatalogue | null;
}

/**
 * The budgets of accounts, in memory and open in the limit store, each with the amount spent in its period. Requests wait for
 * a change to be applied. An account without budgets costs a map lookup. Includes the allowance of plans that reject usage
 * beyond it.
 */
export class BudgetCache {
  readonly #parts: BudgetCacheParts;
  readonly #clock: Clock;
  readonly #opener: BudgetOpener;
  readonly #allowances: Allowances;
  readonly #credit: NewCredit;
  /** Only accounts that have budgets, or an allowance and a request. */
  readonly #accounts = new Map<string, Account>();
  /** The last processed change of each account, by the database's clock. */
  #seen: ReadonlyMap<string, number> = new Map();
  /** Of the clock's `monotonic`. */
  #polledAt = 0;
  #timers: Timer[] = [];
  #polling = false;
  #rebuilt = false;
  #closed = false;

  constructor(parts: BudgetCacheParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    const { database, idOf, plans } = parts;
    this.#opener = new BudgetOpener(parts, this.#clock);
    this.#allowances = new Allowances({ database, idOf, plans, clock: this.#clock });
    this.#credit = new NewCredit(database, this.#clock);
    parts.store.onLost((accountId) => this.#lost(accountId));
  }

  /**
   * Reads which accounts have budgets, and starts to open them.
   * @param shared whether other processes change them too: then changes are polled
   * @throws SluiceError database_unavailable
   */
  async start(shared: boolean): Promise<void> {
    const { database } = this.#parts;
    this.#polledAt = this.#clock.monotonic();
    this.#seen = await changedBudgets(database, SLACK_MS);
    for (const accountId of await accountsWithBudgets(database)) this.#account(accountId);
    if (shared) this.#timers.push(this.#clock.setInterval(() => void this.#poll(), POLL_INTERVAL_MS).unref());
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
    if (account === undefined || open === null)
      return this.#load(key.accountId, this.#account(key.accountId)).then((budgets) => budgets.of(key));
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
    return (account.open ?? (await this.#load(accountId, account))).all;
  }

  /** All that bounds spending and is open now, of all accounts. */
  bounds(): SpendBound[] {
    return [...this.#accounts.values()].flatMap(({ open }) => open?.bounds ?? []);
  }

  /** Those that are open now, of all accounts. */
  *open(): Iterable<KnownBudget> {
    for (const { open } of this.#accounts.values()) if (open !== null) yield* open.all;
  }

  /** An account's budgets are others now. Resolves when nothing of the old is used any more for what comes. */
  async changed(accountId: string): Promise<void> {
    const account = this.#account(accountId);
    account.open = null;
    account.outdated = true;
    // If they cannot be read, the next request reports that to its client.
    await this.#load(accountId, account).catch(this.#parts.onFault);
  }

  /** As `changed`, after a change of an account's plan or balance. */
  async planOrBalanceChanged(accountId: string): Promise<void> {
    if (this.#accounts.has(accountId)) await this.changed(accountId);
  }

  /** Reads changes by other processes. @throws SluiceError database_unavailable */
  async poll(): Promise<void> {
    const now = this.#clock.monotonic();
    // Includes changes during a database outage.
    const changes = await changedBudgets(this.#parts.database, now - this.#polledAt + SLACK_MS);
    this.#polledAt = now;
    const others = [...changes].filter(([accountId, at]) => this.#seen.get(accountId) !== at);
    this.#seen = changes;
    await Promise.all(others.map(([accountId]) => this.changed(accountId)));
    for (const accountId of await this.#credit.poll()) await this.planOrBalanceChanged(accountId);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) timer.cancel();
  }

  #account(accountId: string): Account {
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      account = { open: null, before: null, loading: null, outdated: false, renewAt: 0, plans: null };
      this.#accounts.set(accountId, account);
    }
    return account;
  }

  #load(accountId: string, account: Account): Promise<AccountBudgets> {
    return (account.loading ??= this.#read(accountId, account));
  }

  #isOutdated({ renewAt, plans }: Account): boolean {
    return this.#clock.now() >= renewAt || plans !== this.#allowances.plans;
  }

  /**
   * The key with its current limits. Waits for the allowance of a new period; if it cannot be read, included usage is allowed
   * without it. Changes within a period are read in the background.
   */
  #renewed(account: Account, open: AccountBudgets, key: KeyRecord): KeyRecord | Promise<KeyRecord> {
    const renewing = this.#load(key.accountId, account).catch((error: unknown) => {
      account.renewAt = this.#clock.now() + RENEW_RETRY_MS;
      this.#parts.onFault(error);
      if (account.open === null) throw error;
      return open;
    });
    if (open.allowance === null || this.#clock.now() < open.allowance.period.end) {
      renewing.catch(() => undefined);
      return open.of(key);
    }
    const late = new Promise<AccountBudgets>((resolve) => {
      this.#clock.setTimeout(() => resolve(account.open ?? renewing), RENEWED_WITHIN_MS).unref();
    });
    return Promise.race([renewing, late]).then((budgets) => budgets.of(key));
  }

  async #read(accountId: string, account: Account): Promise<AccountBudgets> {
    const { database, idOf } = this.#parts;
    const before = account.before;
    try {
      let all, known, plans;
      do {
        account.outdated = false;
        plans = this.#allowances.plans;
        // Its final amount must be in the log.
        if (before?.allowance && this.#clock.now() >= before.allowance.period.end) await this.#opener.drain();
        all = await readBudgets(database, idOf, accountId);
        known = await this.#allowances.of(accountId);
        if (before?.allowance && known && !follows(before.allowance, known.budget)) {
          // A closed budget must not be used: it would limit nothing.
          account.open = null;
          await this.#opener.close(before.allowance);
        }
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
      Object.assign(account, { before: budgets, renewAt: known?.readAgainAt ?? Infinity, plans });
      if (!account.outdated) account.open = budgets;
      if (budgets.bounds.length === 0 && !account.outdated) this.#accounts.delete(accountId);
      return budgets;
    } finally {
      // Synchronously with the result, so that no request joins a completed lookup.
      account.loading = null;
    }
  }

  #lost(accountId: string): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    if (account.loading === null) void this.changed(accountId);
    else account.outdated = true;
  }

  /** Opens budgets in advance, so that requests need not wait. */
  async #rebuild(): Promise<void> {
    while (!this.#closed) {
      const waiting = [...this.#accounts].filter(([, { open }]) => open === null);
      if (waiting.length === 0) break;
      const next = async (): Promise<boolean> => {
        for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) await this.#load(...each);
        return true;
      };
      const done = await Promise.all(Array.from({ length: MAX_CONCURRENT_REBUILDS }, next)).catch((error: unknown) => {
        this.#parts.onFault(error);
        return null;
      });
      if (done === null)
        await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, REBUILD_RETRY_MS).unref());
    }
    this.#rebuilt = true;
  }

  /** Polls do not overlap; the next one reads what a failed one missed. */
  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    await this.poll().catch(this.#parts.onFault);
    this.#polling = false;
  }
}

/** Whether a store that counts the first derives the second one's period itself. */
function follows({ period }: Allowance, { period: { start } }: Allowance): boolean {
  return start === period.start || start === period.end;
}
