import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import type { AccountRoute, ProviderConnection } from '../../database/entities/index.ts';
import { readAccountRoutes, type AccountRoutes } from '../routes/route-settings.ts';
import type { ConnectionReader } from './connection-reader.ts';
import type { ReadyConnectionCache } from './connections.service.ts';

const POLL_INTERVAL_MS = 1_000;
const IDLE_MS = 10 * 60_000;
/** Requests that have chosen a connection and not sent yet still find it open. */
const CLOSE_AFTER_MS = 5_000;
const MAX_ACCOUNTS = 10_000;

export interface Closable {
  close(): Promise<void>;
}

export interface AccountConnectionsParts<Opened extends Closable> {
  readonly reader: Pick<ConnectionReader, 'of' | 'routesOf' | 'changes'>;
  /** Must not fail: what cannot be opened is a connection that refuses. */
  readonly open: (row: ProviderConnection) => Opened;
  /** Told of a row whose connection is at another address now, or is gone. */
  readonly onReplaced?: (row: ProviderConnection) => void;
  /** Told why changes by other processes could not be looked for. */
  readonly onFault: (error: unknown) => void;
  readonly clock?: Clock;
}

interface OpenConnection<Opened> {
  /** What of its row says how it is opened. */
  readonly identity: string;
  readonly connection: Opened;
}

/** What is known of an account. Its rows stay when its connections are closed as idle: to open them again asks no database. */
interface Account<Opened> {
  readonly rows: readonly ProviderConnection[];
  open: readonly OpenConnection<Opened>[] | null;
  /** Undefined where there are none, or none are open. */
  connections: readonly Opened[] | undefined;
  /** Undefined where there are none. */
  readonly routes: AccountRoutes | undefined;
  used: boolean;
}

/**
 * Connections and routes of accounts, in memory. The database is asked at an account's first use, once, however many requests
 * come with it; from then on nothing waits. What changes is read anew beside the requests, which go on with what was.
 */
export class AccountConnections<Opened extends Closable> implements ReadyConnectionCache {
  readonly #parts: AccountConnectionsParts<Opened>;
  readonly #clock: Clock;
  readonly #accounts = new Map<string, Account<Opened>>();
  readonly #loading = new Map<string, Promise<Account<Opened>>>();
  /** Changed since their rows were last asked for. */
  readonly #outdated = new Set<string>();
  readonly #retired = new Map<Opened, Timer>();
  /** Accounts that ever had connections or routes, with the change that was read last; null until it is known. */
  #revisions: Map<string, number> | null = null;
  #timers: Timer[] = [];
  #polling = false;

  constructor(parts: AccountConnectionsParts<Opened>) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  /**
   * Learns which accounts have connections or routes at all.
   * @param shared whether other processes change them too: then their changes are looked for each second
   * @throws SluiceError database_unavailable
   */
  async start(shared: boolean): Promise<void> {
    await this.poll();
    this.#timers = [this.#clock.setInterval(() => this.closeIdle(), IDLE_MS).unref()];
    if (shared) this.#timers.push(this.#clock.setInterval(() => void this.#poll(), POLL_INTERVAL_MS).unref());
  }

  /** The same array until they change; undefined for an account that has none, or that is not known yet (see `ready`). */
  of(accountId: string): readonly Opened[] | undefined {
    const account = this.#accounts.get(accountId);
    if (account === undefined || account.rows.length === 0) return undefined;
    account.used = true;
    return account.connections ?? this.#open(account);
  }

  /** By name. The same objects until they change; undefined for an account that has none, or that is not known yet. */
  routesOf(accountId: string): AccountRoutes | undefined {
    return this.#accounts.get(accountId)?.routes;
  }

  /** Waits until `of` and `routesOf` know an account; undefined where it does, or there is nothing to know. @throws SluiceError database_unavailable, as the promise's rejection */
  ready(accountId: string): Promise<void> | undefined {
    if (this.#accounts.has(accountId) || this.#revisions?.has(accountId) === false) return undefined;
    return this.#load(accountId).then(() => undefined);
  }

  /** An account's connections, at once where they are known. @throws SluiceError database_unavailable, as the promise's rejection */
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
      // What was is used no more; the next request tells its caller what is wrong.
      this.#forget(accountId);
    }
  }

  /** Looks for what other processes changed. @throws SluiceError database_unavailable */
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

  /** Closes connections that nobody used since the last call. */
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

  /** The next look sees what one missed; a slow one is not joined by others. */
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
      // In the same turn as the outcome is kept: nobody joins a look-up that is over.
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
    const kept = new Set(rows.map(addressOf));
    for (const row of before) if (!kept.has(addressOf(row))) this.#parts.onReplaced?.(row);
  }

  /** Opens what is not open, and keeps open what did not change. */
  #open(account: Account<Opened>): readonly Opened[] {
    const before = new Map(account.open?.map((each) => [each.identity, each]));
    const open = account.rows.map((row) => {
      const identity = identityOf(row);
      return before.get(identity) ?? { identity, connection: this.#parts.open(row) };
    });
    const kept = new Set(open);
    for (const each of account.open ?? []) if (!kept.has(each)) this.#retire(each.connection);
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

/** Of the server that a row's connection speaks to. Options too: some are part of the host. */
function addressOf({ id, provider, baseUrl, options }: ProviderConnection): string {
  return JSON.stringify([id, provider, baseUrl, options]);
}

function identities(rows: readonly ProviderConnection[]): string {
  return rows.map(identityOf).sort().join();
}
