import { systemClock, type Clock } from '../../calendar/clock.ts';
/** A complete response as a provider sent it. */
export interface CachedAnswer {
  /** Canonical: `provider/model`. */
  readonly model: string;
  readonly provider: string;
  /** Parameters that were not sent to the provider. */
  readonly dropped: readonly string[];
  /** Milliseconds since the epoch. */
  readonly keptAt: number;
  /** What it cost the account, in nano-USD; 0 if no price is known. */
  readonly costNano: bigint;
  /** OpenAI's wire format: a JSON document, or server-sent events where the request was streamed. */
  readonly body: Buffer;
}

/** Caches responses to equivalent requests. The account is part of the key, so that accounts share no entries. */
export interface ResponseCache {
  /** A remote store returns a promise and reports a miss when it fails. */
  get(key: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  set(key: string, answer: CachedAnswer, ttlMs: number): void;
}

interface Entry {
  readonly answer: CachedAnswer;
  readonly bytes: number;
  readonly until: number;
}

const ENTRY_OVERHEAD_BYTES = 512;

/** An in-memory cache with a bound in bytes; evicts the least recently used entry first. */
export class MemoryResponseCache implements ResponseCache {
  readonly #maxBytes: number;
  readonly #clock: Clock;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(maxBytes: number, clock: Clock = systemClock) {
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): CachedAnswer | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#remove(key, entry);
    if (entry.until <= this.#clock.monotonic()) return undefined;
    this.#add(key, entry);
    return entry.answer;
  }

  set(key: string, answer: CachedAnswer, ttlMs: number): void {
    const bytes = answer.body.length + ENTRY_OVERHEAD_BYTES;
    const known = this.#entries.get(key);
    if (known) this.#remove(key, known);
    if (bytes > this.#maxBytes) return;
    this.#add(key, { answer, bytes, until: this.#clock.monotonic() + ttlMs });
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#remove(oldest, entry);
    }
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
