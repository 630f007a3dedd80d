import { systemClock, type Clock } from '../../calendar/clock.ts';
/** An answer as a provider sent it, whole. */
export interface CachedAnswer {
  /** Canonical: `provider/model`. */
  readonly model: string;
  readonly provider: string;
  /** Parameters that the provider was not sent. */
  readonly dropped: readonly string[];
  /** Milliseconds since the epoch. */
  readonly keptAt: number;
  /** OpenAI's wire format: a JSON document, or server-sent events where the request was streamed. */
  readonly body: Buffer;
}

/** Keeps answers for requests alike. An entry of one account is never seen by another: the account is part of its key. */
export interface ResponseCache {
  /** A store outside this process answers later; where it fails, nothing is found. */
  get(key: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  set(key: string, answer: CachedAnswer, ttlMs: number): void;
}

interface Entry {
  readonly answer: CachedAnswer;
  readonly bytes: number;
  readonly until: number;
}

const ENTRY_OVERHEAD_BYTES = 512;

/** In this process, up to so many bytes: what was not used for longest goes first. */
export class MemoryResponseCache implements ResponseCache {
  readonly #mostBytes: number;
  readonly #clock: Clock;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(mostBytes: number, clock: Clock = systemClock) {
    this.#mostBytes = mostBytes;
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
    if (bytes > this.#mostBytes) return;
    this.#add(key, { answer, bytes, until: this.#clock.monotonic() + ttlMs });
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#mostBytes) return;
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
