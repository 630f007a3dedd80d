import { SluiceError } from '../../errors/index.ts';
import type { StoredAnswer } from './sealed-answers.ts';

/** For stored responses that are being sent. */
const MAX_OPEN_BYTES = 128 * 1024 * 1024;
const RETRY_MS = 1_000;

/** A stored response in memory, until it is closed. */
export interface OpenAnswer {
  readonly answer: Promise<StoredAnswer>;
  close(): void;
}

interface Entry {
  readonly answer: Promise<StoredAnswer>;
  readonly bytes: number;
  readers: number;
}

/** Stored responses in memory while they are sent: each once, shared by its readers, within a bound. */
export class OpenAnswers {
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /** @throws SluiceError idempotency_unavailable */
  open(name: string, bytes: number, read: () => Promise<StoredAnswer>): OpenAnswer {
    const entry = this.#entries.get(name) ?? this.#add(name, bytes, read);
    entry.readers++;
    let isOpen = true;
    const close = (): void => {
      if (!isOpen) return;
      isOpen = false;
      if (--entry.readers > 0) return;
      this.#bytes -= entry.bytes;
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
    };
    return { answer: entry.answer, close };
  }

  /** Current readers continue; a later response of the same name is another one. */
  forget(name: string): void {
    this.#entries.delete(name);
  }

  #add(name: string, bytes: number, read: () => Promise<StoredAnswer>): Entry {
    if (this.#bytes + bytes > MAX_OPEN_BYTES)
      throw new SluiceError('idempotency_unavailable', { retryAfterMs: RETRY_MS });
    const entry = { answer: read(), bytes, readers: 0 };
    this.#entries.set(name, entry);
    this.#bytes += bytes;
    return entry;
  }
}
