/**
 * A conversation up to and including a response, as items of an input: a JSON array. Its text takes a fraction of the memory of
 * its values, and is sent as it is.
 */
export type RememberedItems = string;

/** What a turn continues. */
export interface Conversation {
  /** The response before the items, which is stored, or which a provider's socket holds; null for none. */
  readonly previousId: string | null;
  readonly items: RememberedItems;
}

interface Remembered extends Conversation {
  readonly id: string;
  readonly bytes: number;
}

/** Over all sockets. A client whose response is gone sends its conversation again. */
const MAX_BYTES = 128 * 1024 * 1024;
/** Of one response: a request with more would exceed the limit of bodies. */
const MAX_RESPONSE_BYTES = 50 * 1024 * 1024;

/** The place of a response: a stream of a socket. Each holds the latest one. */
export type Stream = object;

/**
 * The latest response of each stream of a socket, for continuation of what is not stored. In memory only, and for the life of
 * the socket.
 */
export class RememberedResponses {
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #latest = new Map<Stream, Remembered>();
  #bytes = 0;

  /** @param maxBytes of all responses together */
  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  set(stream: Stream, id: string, { previousId, items }: Conversation): void {
    this.delete(stream);
    const bytes = Buffer.byteLength(items);
    if (bytes > Math.min(MAX_RESPONSE_BYTES, this.#maxBytes)) return;
    this.#latest.set(stream, { id, previousId, items, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#latest.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.delete(oldest);
    }
  }

  /** @param streams of one socket; @returns null where none of them holds the response */
  find(streams: Iterable<Stream>, id: string): Conversation | null {
    for (const stream of streams) {
      const found = this.#latest.get(stream);
      if (found?.id !== id) continue;
      this.#latest.delete(stream);
      this.#latest.set(stream, found);
      return found;
    }
    return null;
  }

  /** Drops a response, in whichever stream it is. */
  forget(streams: Iterable<Stream>, id: string): void {
    for (const stream of streams) if (this.#latest.get(stream)?.id === id) this.delete(stream);
  }

  delete(stream: Stream): void {
    this.#bytes -= this.#latest.get(stream)?.bytes ?? 0;
    this.#latest.delete(stream);
  }
}
