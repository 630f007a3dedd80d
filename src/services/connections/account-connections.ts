import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import type { AccountRoute, ProviderConnection } from '../../database/entities/index.ts';
import { readAccountRoutes, type AccountRoutes } from './route-settings.ts';
import type { ConnectionReader } from './connection-reader.ts';
import type { ReadyConnectionCache } from './connections.service.ts';

const POLL_INTERVAL_MS = 1_000;
const IDLE_MS = 10 * 60_000;
/** Requests that have selected a connection and not used it yet still find it open. */
const CLOSE_AFTER_MS = 5_000;
const MAX_ACCOUNTS = 10_000;

export interface Closable {
  close(): Promise<void>;
}

export interface AccountConnectionsParts<Opened extends Closable> {
  readonly reader: Pick<ConnectionReader, 'of' | 'routesOf' | 'changes'>;
  /** Must not throw: a connection that cannot be opened rejects requests. */
  readonly open: (row: ProviderConnection) => Opened;
  /** Called with a row whose connection has another address, or was deleted. */
  readonly onReplaced?: (row: ProviderConnection) => void;
  /** Receives the error when changes by other processes could not be read. */
  readonly onFault: (error: unknown) => void;
  readonly clock?: Clock;
}

interface OpenConnection<Opened> {
  /** The properties of its row that determine how it is opened. */
  readonly identity: string;
  readonly connection: Opened;
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
  readonly #parts: AccountConnectionsParts<Opened>;
  readonly #clock: Clock;
  readonly #accounts = new Map<string, Account<Opened>>();
  readonly #loading = new Map<string, Promise<Account<Opened>>>();
  /** Changed since their rows were last read. */
  readonly #outdated = new Set<string>();
  readonly #retired = new Map<Opened, Timer>();
  /** Accounts that ever had connections or routes, with the last change that was read; null until loaded. */
  #revisions: Map<string, number> | null = null;
  #timers: Timer[] = [];
  #polling = false;

  constructor(parts: AccountConnectionsParts<Opened>) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  /**
   * Reads which accounts have connections or routes.
   * @param shared whether other processes change them too: then changes are polled every second
   * @throws SluiceError database_unavailable
   */
  async start(shared: boolean): Promise<void> {
    await this.poll();
    this.#timers = [this.#clock.setInterval(() => this.closeIdle(), IDLE_MS).unref()];
    if (shared) this.#timers.push(this.#clock.setInterval(() => void this.#poll(), POLL_INTERVAL_MS).unref());
  }

  /** The same array until it changes; undefined for an account that has none or is not loaded (see `ready`). */
  of(accountId: string): readonly Opened[] | undefined {
    const account = this.#accounts.get(accountId);
    if (account === undefined || account.rows.length === 0) return undefined;
    account.used = true;
    return account.connections ?? this.#open(account);
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
    return this.#load(accountId).then(() => undefined);
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
      await this.#reload(accountId);
    } catch {
      // The previous state is no longer used; the next request reports the error to its client.
      this.#forget(accountId);
    }
  }

  /** Reads changes by other processes. @throws SluiceError database_unavailable */
  async poll(): Promise<void> {
    const changes = await this.#parts.reader.changes();
    const revisions = (this.#revisions ??= new Map());
    await Promise.all(
      changes.map(async ({ accountId, revision }) => {
        if (revisions.get(accountId) === revision) return;
        if (this.#isKnown(accountId)) await this.#reload(accountId);
        revisions.set(accountId, revision);
      }),
    );
  }

  /** Closes connections that were not used since the last call. */
  closeIdle(): void {
    for (const account of this.#accounts.values()) {
      if (!account.used) this.#shut(account);
      account.used = false;
    }
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    for (const account of this.#accounts.values()) this.#shut(account);
    this.#accounts.clear();
    const retired = [...this.#retired];
    this.#retired.clear();
    for (const [, timer] of retired) timer.cancel();
    await Promise.allSettled(retired.map(([connection]) => connection.close()));
  }

  /** Polls do not overlap; the next one reads what a failed one missed. */
  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    await this.poll().catch(this.#parts.onFault);
    this.#polling = false;
  }

  #isKnown(accountId: string): boolean {
    return this.#accounts.has(accountId) || this.#loading.has(accountId);
  }

  #reload(accountId: string): Promise<unknown> {
    this.#outdated.add(accountId);
    return this.#load(accountId);
  }

  #load(accountId: string): Promise<Account<Opened>> {
    let loading = this.#loading.get(accountId);
    if (loading === undefined) {
      loading = this.#read(accountId);
      this.#loading.set(accountId, loading);
    }
    return loading;
  }

  async #read(accountId: string): Promise<Account<Opened>> {
    try {
      const { reader } = this.#parts;
      let rows;
      do {
        this.#outdated.delete(accountId);
        rows = await Promise.all([reader.of(accountId), reader.routesOf(accountId)]);
      } while (this.#outdated.has(accountId));
      return this.#take(accountId, ...rows);
    } finally {
      // Synchronously with the result, so that no request joins a completed lookup.
      this.#loading.delete(accountId);
    }
  }

  #take(accountId: string, rows: readonly ProviderConnection[], routes: readonly AccountRoute[]): Account<Opened> {
    const before = this.#accounts.get(accountId);
    const open = before?.open ?? null;
    const same = before !== undefined && identities(before.rows) === identities(rows);
    const account: Account<Opened> = {
      rows,
      open,
      connections: same ? before.connections : undefined,
      routes: readAccountRoutes(routes, before?.routes),
      used: before?.used ?? true,
    };
    this.#accounts.set(accountId, account);
    if (!same && open !== null) this.#open(account);
    if (!same) this.#reportReplaced(before?.rows ?? none, rows);
    if (this.#accounts.size > MAX_ACCOUNTS) this.#forgetOne();
    return account;
  }

  #reportReplaced(before: readonly ProviderConnection[], rows: readonly ProviderConnection[]): void {
    const retained = new Set(rows.map(addressOf));
    for (const row of before) if (!retained.has(addressOf(row))) this.#parts.onReplaced?.(row);
  }

  /** Opens new connections, and retains unchanged ones. */
  #open(account: Account<Opened>): readonly Opened[] {
    const before = new Map(account.open?.map((each) => [each.identity, each]));
    const open = account.rows.map((row) => {
      const identity = identityOf(row);
      return before.get(identity) ?? { identity, connection: this.#parts.open(row) };
    });
    const retained = new Set(open);
    for (const each of account.open ?? []) if (!retained.has(each)) this.#retire(each.connection);
    account.open = open;
    account.connections = open.map(({ connection }) => connection);
    return account.connections;
  }

  #shut(account: Account<Opened>): void {
    for (const { connection } of account.open ?? []) this.#retire(connection);
    account.open = null;
    account.connections = undefined;
  }

  #retire(connection: Opened): void {
    const close = (): void => {
      this.#retired.delete(connection);
      void connection.close().catch(() => undefined);
    };
    this.#retired.set(connection, this.#clock.setTimeout(close, CLOSE_AFTER_MS).unref());
  }

  #forget(accountId: string): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    this.#accounts.delete(accountId);
    this.#shut(account);
  }

  #forgetOne(): void {
    const [oldest] = this.#accounts.keys();
    if (oldest !== undefined) this.#forget(oldest);
  }
}

const none: readonly never[] = [];

function identityOf({ id, provider, baseUrl, options, sealedCredentials }: ProviderConnection): string {
  return JSON.stringify([id, provider, baseUrl, options, sealedCredentials?.toString('base64') ?? null]);
}

/** Identifies the server of a connection. Includes options, because some are part of the host name. */
function addressOf({ id, provider, baseUrl, options }: ProviderConnection): string {
  return JSON.stringify([id, provider, baseUrl, options]);
}

function identities(rows: readonly ProviderConnection[]): string {
  return rows.map(identityOf).sort().join();
}
