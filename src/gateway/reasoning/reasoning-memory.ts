import { systemClock, type Clock } from '../../calendar/clock.ts';

/** The signed reasoning of a response, stored by its first tool call. */
export interface StoredReasoning {
  /** The called tool: distinguishes calls whose provider reuses ids. */
  readonly name: string;
  /** The message's `reasoning_details`, as JSON. */
  readonly details: string;
}

/** Stores signed reasoning by the id of the first tool call, for clients that do not send it back. */
export interface ReasoningStore {
  store(accountId: string, callId: string, reasoning: StoredReasoning): void;
  /** Finds reasoning in this process. */
  find(accountId: string, callId: string): StoredReasoning | undefined;
  /** Loads reasoning of other processes for `find`; undefined where there is none to load. Never rejects. */
  load(accountId: string, callIds: readonly string[]): Promise<void> | undefined;
}

/** A conversation that is idle for longer continues without it. */
export const REASONING_RETENTION_MS = 24 * 3_600_000;
/** Longer reasoning is not stored. */
export const MAX_REASONING_BYTES = 1024 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;
/** Per account, so that none evicts the entries of all others. */
const MAX_ACCOUNT_BYTES = 8 * 1024 * 1024;
const ENTRY_OVERHEAD_BYTES = 256;

interface Entry {
  readonly accountId: string;
  readonly reasoning: StoredReasoning;
  readonly bytes: number;
  readonly until: number;
}

interface AccountEntries {
  /** Names of its entries, least recently used first. */
  readonly names: Set<string>;
  bytes: number;
}

/** An in-memory store with bounds in bytes in total and per account; evicts the least recently used entry first. */
export class MemoryReasoningStore implements ReasoningStore {
  readonly #clock: Clock;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #accounts = new Map<string, AccountEntries>();
  #bytes = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  get bytes(): number {
    return this.#bytes;
  }

  store(accountId: string, callId: string, reasoning: StoredReasoning): void {
    const name = nameOf(accountId, callId);
    this.#remove(name);
    // At most two bytes per character.
    const bytes = 2 * (reasoning.details.length + reasoning.name.length + callId.length) + ENTRY_OVERHEAD_BYTES;
    if (bytes > MAX_REASONING_BYTES) return;
    this.#add(name, { accountId, reasoning, bytes, until: this.#clock.monotonic() + REASONING_RETENTION_MS });
    const own = this.#accounts.get(accountId);
    for (const oldest of own?.names ?? []) {
      if ((own?.bytes ?? 0) <= MAX_ACCOUNT_BYTES) break;
      this.#remove(oldest);
    }
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#remove(oldest);
    }
  }

  find(accountId: string, callId: string): StoredReasoning | undefined {
    const name = nameOf(accountId, callId);
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#remove(name);
    const now = this.#clock.monotonic();
    if (entry.until <= now) return undefined;
    this.#add(name, { ...entry, until: now + REASONING_RETENTION_MS });
    return entry.reasoning;
  }

  load(): undefined {}

  #add(name: string, entry: Entry): void {
    this.#entries.set(name, entry);
    this.#bytes += entry.bytes;
    const own = this.#accounts.get(entry.accountId) ?? { names: new Set(), bytes: 0 };
    this.#accounts.set(entry.accountId, own);
    own.names.add(name);
    own.bytes += entry.bytes;
  }

  #remove(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    this.#bytes -= entry.bytes;
    const own = this.#accounts.get(entry.accountId);
    if (own === undefined) return;
    own.names.delete(name);
    own.bytes -= entry.bytes;
    if (own.names.size === 0) this.#accounts.delete(entry.accountId);
  }
}

function nameOf(accountId: string, callId: string): string {
  return `${accountId}\n${callId}`;
}
