import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { calendarPeriod } from '../../calendar/period.ts';
import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyDirectory, KeyRecord } from '../../gateway/key-directory.ts';
import type { Allowance, SpendBound } from '../../gateway/limits/budget.ts';
import type { BudgetStore } from '../../gateway/limits/limit-store.ts';
import { databaseUnavailable } from '../database-availability.ts';
import type { PlanCatalogue } from '../plans/plan.ts';
import { AccountBudgets } from './account-budgets.ts';
import { Allowances } from './allowances.ts';
import { accountsWithBudgets, changedBudgets, readBudgets, type BudgetIdOf, type KnownBudget } from './known-budget.ts';
import { NewCredit } from './new-credit.ts';
import { spentNano, type SpentBy } from './spent-rows.ts';

const POLL_INTERVAL_MS = 2_000;
/** A change shows when it is committed, which may be so long after its time. */
const SLACK_MS = 60_000;
const REBUILD_RETRY_MS = 1_000;
/** Most of the time each waits for what other processes have yet to store. */
const MAX_CONCURRENT_REBUILDS = 16;
/** What a request waits at most for the allowance of a period that has just begun. */
const RENEWED_WITHIN_MS = 3_000;
const RENEW_RETRY_MS = 1_000;

export interface BudgetCacheParts {
  readonly database: Database;
  readonly store: BudgetStore;
  /** Resolves when the database has every request that was settled before this was called. */
  readonly drain: () => Promise<void>;
  /** Holds, of budgets of one account that were opened, what it will be billed for later, and nothing else. */
  readonly holdStanding: (budgets: readonly SpendBound[]) => Promise<void>;
  readonly idOf: BudgetIdOf;
  /** As configured now. */
  readonly plans: () => PlanCatalogue;
  /** Told why budgets could not be read. */
  readonly onFault: (error: unknown) => void;
  readonly clock?: Clock;
}

interface Account {
  /** Null until they are open, and again when they changed. */
  open: AccountBudgets | null;
  /** Those that were open last. */
  before: AccountBudgets | null;
  loading: Promise<AccountBudgets> | null;
  /** Changed since they were last read. */
  outdated: boolean;
  /** When its allowance is to be read again, in milliseconds since the epoch. */
  renewAt: number;
  /** By which its allowance was read. */
  plans: PlanCatalogue | null;
}

/**
 * The budgets of accounts, in memory, and open in the limit store: each with what was spent of it in its period. What changes
 * holds from then on; requests that come meanwhile wait. An account without budgets costs a look into a map. With them comes what
 * the plan allows, where it refuses what goes beyond.
 */
export class BudgetCache {
  readonly #parts: BudgetCacheParts;
  readonly #clock: Clock;
  readonly #allowances: Allowances;
  readonly #credit: NewCredit;
  /** Only those that have budgets, or an allowance and asked for something. */
  readonly #accounts = new Map<string, Account>();
  /** The change of each account that was followed last, by the database's clock. */
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
    this.#allowances = new Allowances({ database, idOf, plans, clock: this.#clock });
    this.#credit = new NewCredit(database, this.#clock);
    parts.store.onLost((accountId) => this.#lost(accountId));
  }

  /**
   * Learns which accounts have budgets, and begins to open them.
   * @param shared whether other processes change them too: then their changes are looked for
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

  /** Whether all that was spent before this process began is counted. */
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
    // Where they cannot be read, the next request tells its caller so.
    await this.#load(accountId, account).catch(this.#parts.onFault);
  }

  /** The same, where an account's plan or balance may be another now. */
  async planOrBalanceChanged(accountId: string): Promise<void> {
    if (this.#accounts.has(accountId)) await this.changed(accountId);
  }

  /** Looks for what other processes changed. @throws SluiceError database_unavailable */
  async poll(): Promise<void> {
    const now = this.#clock.monotonic();
    // Also those that a lost database hid.
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
   * The key with what bounds it now. A new period's allowance is waited for; where it cannot be read, what the plan includes is
   * let out of it. What changes within a period is read meanwhile.
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
        // What it came to is to be in the log.
        if (before?.allowance && this.#clock.now() >= before.allowance.period.end) await this.#drain();
        all = await readBudgets(database, idOf, accountId);
        known = await this.#allowances.of(accountId);
        if (before?.allowance && known && !follows(before.allowance, known.budget)) {
          // Nobody is served by one that is closed: it would bound nothing.
          account.open = null;
          await this.#closeOne(before.allowance);
        }
        await this.#openAll([
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
      await this.#closeThose(before?.bounds ?? [], budgets.bounds);
      Object.assign(account, { before: budgets, renewAt: known?.readAgainAt ?? Infinity, plans });
      if (!account.outdated) account.open = budgets;
      if (budgets.bounds.length === 0 && !account.outdated) this.#accounts.delete(accountId);
      return budgets;
    } finally {
      // In the same turn as the outcome is kept: nobody joins a look-up that is over.
      account.loading = null;
    }
  }

  /** What settles after a budget was opened counts in it; what had ended before is in the rows, once the journal is drained. */
  async #openAll(all: readonly Bounded[]): Promise<void> {
    const opened: { readonly bounded: Bounded; readonly at: number }[] = [];
    try {
      for (const bounded of all)
        if (await this.#parts.store.open(bounded.budget)) opened.push({ bounded, at: this.#clock.now() });
      if (opened.length === 0) return;
      await this.#drain();
      // Before others may take them for whole.
      await this.#parts.holdStanding(opened.map(({ bounded }) => bounded.budget));
      for (const { bounded, at } of opened) await this.#fill(bounded, at);
    } catch (error) {
      // One of which it is not known what was spent must not be taken for one of which nothing was.
      for (const { bounded } of opened) await this.#closeOne(bounded.budget);
      throw error;
    }
  }

  async #drain(): Promise<void> {
    try {
      await this.#parts.drain();
    } catch (cause) {
      throw cause instanceof SluiceError ? cause : databaseUnavailable(cause);
    }
  }

  async #fill({ budget, spender }: Bounded, at: number): Promise<void> {
    const isAllowance = budget.subject === 'allowance';
    const { start: from } = isAllowance ? budget.period : calendarPeriod(budget.period, budget.timeZone, at);
    const spent = await spentNano(this.#parts.database, spender, { from, endedBefore: at });
    await this.#parts.store.add(budget, spent, at);
  }

  async #closeThose(before: readonly SpendBound[], now: readonly SpendBound[]): Promise<void> {
    const kept = new Set(now.map(({ id }) => id));
    for (const budget of before) if (!kept.has(budget.id)) await this.#closeOne(budget);
  }

  /** A store that is away forgets it by itself, or is told when the budget is opened next. */
  async #closeOne(budget: SpendBound): Promise<void> {
    try {
      await this.#parts.store.close(budget);
    } catch (error) {
      this.#parts.onFault(error);
    }
  }

  #lost(accountId: string): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    if (account.loading === null) void this.changed(accountId);
    else account.outdated = true;
  }

  /** Opens what the next requests would have to wait for. */
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

  /** The next look sees what one missed; a slow one is not joined by others. */
  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    await this.poll().catch(this.#parts.onFault);
    this.#polling = false;
  }
}

/** What bounds spending, and whose. */
interface Bounded {
  readonly budget: SpendBound;
  readonly spender: SpentBy;
}

/** Whether a store that counts the one finds the other's period by itself. */
function follows({ period }: Allowance, { period: { start } }: Allowance): boolean {
  return start === period.start || start === period.end;
}
