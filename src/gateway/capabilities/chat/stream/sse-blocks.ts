import { parseAnswer } from '../../../../providers/shared/json/json-complexity.ts';
import { eventData } from '../../../../protocols/chat-completions/event-text.ts';
import { isRecord } from '../chat-usage.ts';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

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
  if (length < 2 || bytes[length - 1] !== NEWLINE) return false;
  if (bytes[length - 2] === NEWLINE) return true;
  return (
    length > 3 &&
    bytes[length - 2] === CARRIAGE_RETURN &&
    bytes[length - 3] === NEWLINE &&
    bytes[length - 4] === CARRIAGE_RETURN
  );
}

/** The offset after the last blank line; 0 for none. */
function lastEventEnd(bytes: Buffer): number {
  const plain = bytes.lastIndexOf('\n\n');
  const withCarriageReturn = bytes.lastIndexOf('\r\n\r\n');
  return Math.max(plain < 0 ? 0 : plain + 2, withCarriageReturn < 0 ? 0 : withCarriageReturn + 4);
}

/** Parses the data of an event: Latin-1 over UTF-8. Undefined for invalid JSON. */
export function parseChunk(data: string): unknown {
  try {
    return parseAnswer(Buffer.from(data, 'latin1'));
  } catch {
    return undefined;
  }
}

/** Withholds events without content: if the stream breaks, another target can still take over. */
export class LeadingEvents {
  #hasContent = false;
  #withheld: Buffer | null = null;

  /** @returns all events so far, once any has content; null before */
  push(bytes: Buffer, isDone: boolean): Buffer | null {
    if (this.#hasContent) return bytes;
    const all = this.#withheld === null ? bytes : Buffer.concat([this.#withheld, bytes]);
    this.#hasContent = isDone || hasContent(all);
    // A copy: a view would retain the socket's entire read buffer.
    this.#withheld = this.#hasContent ? null : Buffer.from(all);
    return this.#hasContent ? all : null;
  }
}

/** Whether any event contains more than the assistant's role. */
function hasContent(events: Buffer): boolean {
  for (let start = 0; start < events.length;) {
    const blank = events.indexOf('\n\n', start);
    const end = blank < 0 ? events.length : blank + 2;
    const data = eventData(events.toString('latin1', start, end));
    if (data !== null && !isEmptyChunk(parseChunk(data))) return true;
    start = end;
  }
  return false;
}

function isEmptyChunk(chunk: unknown): boolean {
  if (!isRecord(chunk) || !Array.isArray(chunk.choices)) return false;
  return chunk.choices.every((choice) => {
    if (!isRecord(choice) || choice.finish_reason) return false;
    // The text of a legacy completion.
    if (choice.delta === undefined) return choice.text === '';
    if (!isRecord(choice.delta)) return false;
    return Object.entries(choice.delta).every(([name, value]) => name === 'role' || value === '' || value === null);
  });
}
