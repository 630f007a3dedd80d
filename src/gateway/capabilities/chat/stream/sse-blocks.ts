const NEWLINE = 0x0a;

/** Longer than any chat event: base64 audio, the largest, stays far below. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * Splits a byte stream into blocks of complete server-sent events, so that a broken stream never sends half an event to
 * the client. Source: WHATWG HTML, server-sent events, 9.2.5.
 */
export class SseBlocks {
  #parts: Buffer[] = [];
  #bytes = 0;

  /**
   * @returns all complete events not returned before; null for none.
   * @throws RangeError when an event exceeds the limit
   */
  push(chunk: Buffer): Buffer | null {
    const waiting = this.#bytes > 0;
    if (!waiting && endsEvent(chunk)) return chunk;
    const overlap = waiting ? this.#lastBytes(3) : null;
    const probe = overlap === null ? chunk : Buffer.concat([overlap, chunk]);
    const end = lastEventEnd(probe) - (overlap?.length ?? 0);
    if (end <= 0) {
      this.#buffer(chunk);
      return null;
    }
    const events = waiting ? Buffer.concat([...this.#parts, chunk.subarray(0, end)]) : chunk.subarray(0, end);
    this.#parts = [];
    this.#bytes = 0;
    if (end < chunk.length) this.#buffer(chunk.subarray(end));
    return events;
  }

  #buffer(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_EVENT_BYTES) throw new RangeError(`an event is longer than ${MAX_EVENT_BYTES} bytes`);
    // A copy: a view would retain the socket's entire read buffer until the event ends.
    this.#parts.push(Buffer.from(bytes));
  }

  #lastBytes(count: number): Buffer {
    const last = this.#parts.at(-1) ?? Buffer.alloc(0);
    const previous = this.#parts.at(-2);
    const joined =
      last.length >= count || previous === undefined ? last : Buffer.concat([previous.subarray(-count), last]);
    return joined.subarray(-count);
  }
}

function endsEvent(bytes: Buffer): boolean {
  const { length } = bytes;
  return length > 1 && bytes[length - 1] === NEWLINE && bytes[length - 2] === NEWLINE;
}

/** The offset after the last blank line; 0 for none. */
function lastEventEnd(bytes: Buffer): number {
  const plain = bytes.lastIndexOf('\n\n');
  const carriage = bytes.lastIndexOf('\r\n\r\n');
  return Math.max(plain < 0 ? 0 : plain + 2, carriage < 0 ? 0 : carriage + 4);
}
