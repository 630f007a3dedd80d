import { delay, systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { redirectionOf, SLOT_COUNT, slotOf, type Redirection, type SlotRange } from './cluster-slots.ts';
import { discoverPrimaries, NotPrimaryError } from './discover-primaries.ts';
import { RedisNode, type RedisCommand, type SendOptions } from './redis-node.ts';
import { addressText, type RedisAddress, type RedisServers } from './redis-servers.ts';

const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [50, 500];
const POLL_INTERVAL_MS = 10;
/** A primary that is cut off from its Sentinels, and not from this process, still responds. */
const SENTINEL_INTERVAL_MS = 5_000;
/** The server is no primary, or no longer of this slot, or has lost the others. */
const outdated = /^(?:READONLY|CLUSTERDOWN|MASTERDOWN) /;

export interface RedisConnectionOptions {
  readonly servers: RedisServers;
  /** The longest time that a command may take: sockets are not closed earlier. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Called each time that a server is connected. */
  readonly onReady?: () => void;
  readonly onError?: (error: Error) => void;
  /** How often the slots of a cluster are read while all primaries are connected; only where a command is redirected if absent. */
  readonly refreshMs?: number | undefined;
  /** Called when another server has become the primary of some keys: it may lack the last writes of the one before. */
  readonly onPromoted?: (() => void) | undefined;
}

interface Member {
  readonly address: RedisAddress;
  readonly node: RedisNode;
}

/**
 * Connections to all primaries of Redis or Valkey. Commands go to the primary of their key. They are neither queued nor repeated
 * while it is unavailable, so that no command runs after its caller has given up. Primaries are discovered again until all are
 * connected.
 */
export class RedisConnection {
  readonly #options: RedisConnectionOptions;
  readonly #servers: RedisServers;
  readonly #clock: Clock;
  readonly #members = new Map<string, Member>();
  /** Names of members, as last discovered. */
  #primaries: ReadonlySet<string> = new Set();
  readonly #owners = Array.from<string | undefined>({ length: SLOT_COUNT });
  /** By names of members, the first slot that each has. */
  readonly #firstSlots = new Map<string, number>();
  readonly #opened = Promise.withResolvers<void>();
  #discovering: Promise<void> | null = null;
  #timer: Timer | null = null;
  #timerAt = 0;
  /** Where the last command without a key was sent. */
  #last: Member | undefined;
  #pauseMs = MIN_PAUSE_MS;
  #turn = 0;
  #closed = false;

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
    this.#servers = options.servers;
    this.#clock = options.clock ?? systemClock;
  }

  /** Whether a primary is connected. */
  get isReady(): boolean {
    return this.#anyReady() !== undefined;
  }

  /** The first slot of each primary, connected or not. */
  get firstSlots(): readonly number[] {
    return [...this.#firstSlots.values()];
  }

  /** The first slot of the primary that has a key; null where it is not known. */
  firstSlotOf(key: string): number | null {
    return this.#firstSlots.get(this.#ownerOf(key) ?? '') ?? null;
  }

  /** Starts to connect. Resolves once all primaries are connected. */
  open(): Promise<void> {
    void this.#discover();
    return this.#opened.promise;
  }

  /**
   * @param key decides which primary runs the command; null for one that any can run
   * @throws Error at once while that primary is not connected
   */
  async send(key: string | null, command: RedisCommand, options: SendOptions = {}): Promise<unknown> {
    const member = key === null ? this.#anyReady() : this.#members.get(this.#ownerOf(key) ?? '');
    if (member?.node.isReady !== true) {
      this.#discoverSoon();
      throw new Error('Redis is unavailable: the primary of this key is not connected');
    }
    const began = this.#clock.monotonic();
    try {
      return await member.node.send(command, options);
    } catch (error) {
      const redirection = redirectionOf(error);
      if (redirection === null) {
        if (!member.node.isReady || (error instanceof Error && outdated.test(error.message))) this.#discoverSoon();
        throw error;
      }
      if (options.timeoutMs === undefined) return this.#follow(redirection, member, command, options);
      // Both servers together have the time of one.
      const timeoutMs = Math.max(1, options.timeoutMs - (this.#clock.monotonic() - began));
      return this.#follow(redirection, member, command, { ...options, timeoutMs });
    }
  }

  /** @param gracefully waits for responses to what was sent */
  close(gracefully = false): void {
    this.#closed = true;
    this.#timer?.cancel();
    for (const { node } of this.#members.values())
      if (gracefully) node.drain();
      else node.close();
    this.#members.clear();
  }

  async #follow(to: Redirection, from: Member, command: RedisCommand, options: SendOptions): Promise<unknown> {
    if (this.#closed) throw new Error('Redis is unavailable: the connection was closed');
    const address = { host: to.address.host || from.address.host, port: to.address.port };
    const name = addressText(address);
    if (!this.#members.has(name)) this.#connect(address);
    const member = this.#members.get(name);
    if (member?.node.isReady !== true) await this.#whenReady(name, options.timeoutMs ?? MAX_PAUSE_MS);
    const node = this.#members.get(name)?.node;
    if (node === undefined) throw new Error('Redis is unavailable: the connection was closed');
    if (to.kind === 'MOVED') {
      this.#owners[to.slot] = name;
      this.#discoverSoon();
      return node.send(command, options);
    }
    // Of one connection, and in one turn of the event loop: nothing is sent between both.
    const asking = node.send(['ASKING']);
    const [, reply] = await Promise.all([asking, node.send(command, options)]);
    return reply;
  }

  async #whenReady(name: string, withinMs: number): Promise<void> {
    const until = systemClock.monotonic() + withinMs;
    while (this.#members.get(name)?.node.isReady !== true) {
      if (systemClock.monotonic() > until) throw new Error(`Redis is unavailable: ${name} is not connected`);
      await delay(systemClock, POLL_INTERVAL_MS);
    }
  }

  /** The same as long as it is connected, so that messages are published in their order. */
  #anyReady(): Member | undefined {
    if (this.#last?.node.isReady !== true) this.#last = [...this.#members.values()].find(({ node }) => node.isReady);
    return this.#last;
  }

  #ownerOf(key: string): string | undefined {
    return this.#owners[this.#servers.kind === 'cluster' ? slotOf(key) : 0];
  }

  #discover(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    this.#discovering ??= this.#discoverOnce().finally(() => {
      this.#discovering = null;
      this.#discoverLater();
    });
    return this.#discovering;
  }

  async #discoverOnce(): Promise<void> {
    // Those that are connected first: the others may not respond.
    const known = [...this.#members.values()].filter(({ node }) => node.isReady).map(({ address }) => address);
    try {
      this.#apply(await discoverPrimaries(this.#servers, known, this.#turn++));
    } catch (error) {
      if (this.#closed || !(error instanceof Error)) return;
      if (error instanceof AggregateError)
        for (const { cause } of error.errors) if (cause instanceof NotPrimaryError) this.#leave(cause.address);
      this.#options.onError?.(error);
    }
  }

  /** It would still respond to reads, with what it knew. */
  #leave(address: RedisAddress): void {
    const name = addressText(address);
    this.#members.get(name)?.node.close();
    this.#members.delete(name);
  }

  #apply(ranges: readonly SlotRange[]): void {
    if (this.#closed) return;
    const used = new Set<string>();
    this.#owners.fill(undefined);
    this.#firstSlots.clear();
    for (const { first, last, primary } of ranges) {
      const name = addressText(primary);
      used.add(name);
      this.#owners.fill(name, first, last + 1);
      this.#firstSlots.set(name, Math.min(first, this.#firstSlots.get(name) ?? first));
      if (!this.#members.has(name)) this.#connect(primary);
    }
    for (const [name, { node }] of this.#members) {
      if (used.has(name)) continue;
      this.#members.delete(name);
      node.close();
    }
    const isPromoted = this.#primaries.size > 0 && [...used].some((name) => !this.#primaries.has(name));
    this.#primaries = used;
    if (isPromoted) this.#options.onPromoted?.();
  }

  #connect(address: RedisAddress): void {
    const node = new RedisNode(address, {
      ...this.#options,
      onReady: () => {
        this.#options.onReady?.();
        if (this.#isComplete()) this.#opened.resolve();
      },
      onError: (error) => {
        this.#options.onError?.(error);
        this.#discoverSoon();
      },
    });
    this.#members.set(addressText(address), { address, node });
    // It rejects only when it is closed.
    node.connect().catch(() => undefined);
  }

  #isComplete(): boolean {
    return this.#members.size > 0 && [...this.#members.values()].every(({ node }) => node.isReady);
  }

  /** Unless it is about to. */
  #discoverSoon(): void {
    if (this.#closed || this.#discovering !== null || this.#servers.kind === 'standalone') return;
    // Otherwise it is repeated already.
    if (this.#pauseMs === MIN_PAUSE_MS) this.#discoverIn(MIN_PAUSE_MS);
  }

  #discoverLater(): void {
    if (this.#closed || this.#servers.kind === 'standalone') return;
    const isComplete = this.#isComplete();
    this.#pauseMs = isComplete ? MIN_PAUSE_MS : Math.min(MAX_PAUSE_MS, this.#pauseMs * 2);
    const refreshMs = this.#servers.kind === 'sentinel' ? SENTINEL_INTERVAL_MS : this.#options.refreshMs;
    if (!isComplete) this.#discoverIn(this.#pauseMs);
    else if (refreshMs !== undefined) this.#discoverIn(refreshMs);
  }

  #discoverIn(ms: number): void {
    const at = systemClock.monotonic() + ms;
    if (this.#timer !== null && this.#timerAt <= at) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = systemClock.setTimeout(() => void this.#discover(), ms).unref();
  }
}
