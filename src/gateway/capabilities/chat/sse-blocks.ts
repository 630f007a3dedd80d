const NEWLINE = 0x0a;

/** An event longer than this is no event of a chat: base64 audio, the largest there is, stays far below. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * Cuts a byte stream into blocks of whole server-sent events, so that a stream that breaks never leaves half an event with
 * the caller. Source: WHATWG HTML, server-sent events, 9.2.5.
 */
export class SseBlocks {
  #parts: Buffer[] = [];
  #bytes = 0;

  /** @returns all whole events received and not returned before; null where there is none. @throws RangeError when an event passes the bound */
  push(chunk: Buffer): Buffer | null {
    const waiting = this.#bytes > 0;
    if (!waiting && endsEvent(chunk)) return chunk;
    const overlap = waiting ? this.#lastBytes(3) : null;
    const probe = overlap === null ? chunk : Buffer.concat([overlap, chunk]);
    const end = lastEventEnd(probe) - (overlap?.length ?? 0);
    if (end <= 0) {
      this.#keep(chunk);
      return null;
    }
    const whole = waiting ? Buffer.concat([...this.#parts, chunk.subarray(0, end)]) : chunk.subarray(0, end);
    this.#parts = [];
    this.#bytes = 0;
    if (end < chunk.length) this.#keep(chunk.subarray(end));
    return whole;
  }

  #keep(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_EVENT_BYTES) throw new RangeError(`an event is longer than ${MAX_EVENT_BYTES} bytes`);
    // A copy: a view would keep the socket's whole read buffer alive while the event waits for its end.
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

/** The offset behind the last blank line, 0 where there is none. */
function lastEventEnd(bytes: Buffer): number {
  const plain = bytes.lastIndexOf('\n\n');
  const carriage = bytes.lastIndexOf('\r\n\r\n');
  return Math.max(plain < 0 ? 0 : plain + 2, carriage < 0 ? 0 : carriage + 4);
}
