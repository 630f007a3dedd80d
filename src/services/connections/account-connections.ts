import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { RepeatedPoll } from '../../database/polls/repeated-poll.ts';
import { unsharedPolls, type SharedPolls } from '../../database/polls/shared-polls.ts';
import type { AccountRoute, ProviderConnection } from '../../database/entities/index.ts';
import { AccountRows } from './account-rows.ts';
import { readAccountRoutes, type AccountRoutes } from './route-settings.ts';
import type { ConnectionReader } from './connection-reader.ts';
import type { ReadyConnectionCache } from './connections.service.ts';
import {
  areSameConnections,
  OpenConnections,
  replacedRows,
  type Closable,
  type OpenConnection,
} from './open-connections.ts';

const POLL_INTERVAL_MS = 1_000;
const IDLE_MS = 10 * 60_000;
const MAX_ACCOUNTS = 10_000;

export interface AccountConnectionsDependencies<Opened extends Closable> {
  readonly reader: Pick<ConnectionReader, 'of' | 'routesOf' | 'changes'>;
  /** Must not throw: a connection that cannot be opened rejects requests. */
  readonly open: (row: ProviderConnection) => Opened;
  /** Called with a row whose connection has another address, or was deleted. */
  readonly onReplaced?: (row: ProviderConnection) => void;
  /** Receives the error when changes by other processes could not be read. */
  readonly onFault: (error: unknown) => void;
  /** Resolves once all requests that are open at its call have ended. They may retry on a replaced connection. */
  readonly whenRequestsEnd: () => Promise<void>;
  readonly clock?: Clock;
  /** With other workers of this machine. */
  readonly polls?: SharedPolls;
}

/** Cached data of an account. Rows remain when idle connections are closed, so that reopening them needs no query. */
interface Account<Opened> {
  readonly rows: readonly ProviderConnection[];
  open: readonly OpenConnection<Opened>[] | null;
  /** Undefined if there are none, or none are open. */
  connections: readonly Opened[] | undefined;
  /** Undefined if there are none. */
  readonly routes: AccountRoutes | undefined;
  used: boolean;
}

/**
 * Connections and routes of accounts, in memory. They are read at an account's first use, with one query for concurrent
 * requests; afterwards no request waits. Changes are read in the background, while requests use the previous state.
 */
export class AccountConnections<Opened extends Closable> implements ReadyConnectionCache {
  readonly #dependencies: AccountConnectionsDependencies<Opened>;
  readonly #clock: Clock;
  readonly #open: OpenConnections<Opened>;
  readonly #accounts = new Map<string, Account<Opened>>();
  readonly #rows: AccountRows<Account<Opened>>;
  /** Accounts that ever had connections or routes, with the last change that was read; null until loaded. */
  #revisions: Map<string, number> | null = null;
  readonly #polls: SharedPolls;
  readonly #repeated: RepeatedPoll;
  #timer: Timer | null = null;

  constructor(dependencies: AccountConnectionsDependencies<Opened>) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    this.#polls = dependencies.polls ?? unsharedPolls;
    this.#repeated = new RepeatedPoll({
      name: 'connections',
      intervalMs: POLL_INTERVAL_MS,
      polls: this.#polls,
      clock: this.#clock,
      // The next one reads what a failed one missed.
      poll: () => this.poll(),
      onFault: dependencies.onFault,
    });
    this.#open = new OpenConnections(dependencies.open, dependencies.whenRequestsEnd, this.#clock);
    this.#rows = new AccountRows(dependencies.reader, (accountId, rows, routes) =>
      this.#replaceRows(accountId, rows, routes),
    );
  }

  /**
   * Reads which accounts have connections or routes.
   * @param shared whether other processes change them too: then changes are polled every second
   * @throws SluiceError database_unavailable
   */
  async start(shared: boolean): Promise<void> {
    await this.poll();
    this.#timer = this.#clock.setInterval(() => this.closeIdle(), IDLE_MS).unref();
    if (shared) this.#repeated.start();
  }

  /** The same array until it changes; undefined for an account that has none or is not loaded (see `ready`). */
  of(accountId: string): readonly Opened[] | undefined {
    const account = this.#accounts.get(accountId);
    if (account === undefined || account.rows.length === 0) return undefined;
    account.used = true;
    return account.connections ?? this.#connect(account);
  }

  /** By name. The same object until it changes; undefined for an account that has none or is not loaded. */
  routesOf(accountId: string): AccountRoutes | undefined {
    return this.#accounts.get(accountId)?.routes;
  }

  /**
   * Waits until an account is loaded; undefined if it is, or has nothing to load. @throws SluiceError database_unavailable, as
   * the promise's rejection
   */
  ready(accountId: string): Promise<void> | undefined {
    if (this.#accounts.has(accountId) || this.#revisions?.has(accountId) === false) return undefined;
    return this.#rows.read(accountId).then(() => undefined);
  }

  /**
   * An account's connections, synchronously if they are loaded. @throws SluiceError database_unavailable, as the promise's
   * rejection
   */
  forAccount(accountId: string): readonly Opened[] | Promise<readonly Opened[]> {
    const waiting = this.ready(accountId);
    return waiting === undefined ? (this.of(accountId) ?? none) : waiting.then(() => this.of(accountId) ?? none);
  }

  async changed(accountId: string): Promise<void> {
    if (this.#revisions?.has(accountId) === false) this.#revisions.set(accountId, 0);
    if (!this.#isKnown(accountId)) return;
    try {
      await this.#rows.readChanged(accountId);
    } catch {
      // The previous state is no longer used; the next request reports the error to its client.
      this.#forget(accountId);
    }
  }

  /** Reads changes by other processes. @throws SluiceError database_unavailable */
  async poll(): Promise<void> {
    const changes = await this.#dependencies.reader.changes();
    const revisions = (this.#revisions ??= new Map());
    let isChanged = false;
    const read = Promise.all(
      changes.map(async ({ accountId, revision }) => {
        if (revisions.get(accountId) === revision) return;
        isChanged = true;
        if (this.#isKnown(accountId)) await this.#rows.readChanged(accountId);
        revisions.set(accountId, revision);
      }),
    );
    if (isChanged) this.#polls.announce('connections', 'changed');
    await read;
  }

  /** Closes connections that were not used since the last call. */
  closeIdle(): void {
    for (const account of this.#accounts.values()) {
      if (!account.used) this.#closeConnections(account);
      account.used = false;
    }
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#repeated.close();
    for (const account of this.#accounts.values()) this.#closeConnections(account);
    this.#accounts.clear();
    await this.#open.close();
  }

  #isKnown(accountId: string): boolean {
    return this.#accounts.has(accountId) || this.#rows.isReading(accountId);
  }

  #replaceRows(
    accountId: string,
    rows: readonly ProviderConnection[],
    routes: readonly AccountRoute[],
  ): Account<Opened> {
    const before = this.#accounts.get(accountId);
    const open = before?.open ?? null;
    const same = before !== undefined && areSameConnections(before.rows, rows);
    const account: Account<Opened> = {
      rows,
      open,
      connections: same ? before.connections : undefined,
      routes: readAccountRoutes(routes, before?.routes),
      used: before?.used ?? true,
    };
    this.#accounts.set(accountId, account);
    if (!same && open !== null) this.#connect(account);
    if (!same) for (const row of replacedRows(before?.rows ?? none, rows)) this.#dependencies.onReplaced?.(row);
    if (this.#accounts.size > MAX_ACCOUNTS) this.#forgetOne();
    return account;
  }

  #connect(account: Account<Opened>): readonly Opened[] {
    account.open = this.#open.update(account.open, account.rows);
    account.connections = account.open.map(({ connection }) => connection);
    return account.connections;
  }

  #closeConnections(account: Account<Opened>): void {
    this.#open.retire(account.open ?? none);
    account.open = null;
    account.connections = undefined;
  }

  #forget(accountId: string): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    this.#accounts.delete(accountId);
    this.#closeConnections(account);
  }

  #forgetOne(): void {
    const [oldest] = this.#accounts.keys();
    if (oldest !== undefined) this.#forget(oldest);
  }
}

const none: readonly never[] = [];
