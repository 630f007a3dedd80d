import { eventData } from '../../../../protocols/chat-completions/event-text.ts';
import { isRecord } from '../chat-usage.ts';
import { parseChunk } from './parse-chunk.ts';

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
    if (!isRecord(choice) || !isRecord(choice.delta) || choice.finish_reason) return false;
    return Object.entries(choice.delta).every(([name, value]) => name === 'role' || value === '' || value === null);
  });
}
