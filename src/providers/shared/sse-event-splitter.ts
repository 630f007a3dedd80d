/** An event longer than this is none of a chat's: pictures and sound in base64, the largest there are, stay far below. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * Cuts the text of an event stream behind its whole events, wherever it comes cut; every line end becomes `\n`. An event in
 * many parts is not searched anew with each of them: only the seam is looked at.
 * A stream of chat is cut elsewhere, in `gateway/capabilities/chat/sse-blocks.ts`: what a socket brings is whole events nearly
 * always there, and goes on as the bytes that came, without becoming a text and bytes again.
 * Source: WHATWG HTML, server-sent events, 9.2.5 and 9.2.6.
 */
export class SseEventSplitter {
  /** What came of an event that has not ended; no end stands in it, nor between its parts. */
  #parts: string[] = [];
  #length = 0;
  /** A carriage return at the end of what came may be half of a line's end. */
  #hasPendingCarriageReturn = false;
  readonly #maxCharacters: number;

  /** @param maxCharacters of an event, in characters */
  constructor(maxCharacters = MAX_EVENT_BYTES) {
    this.#maxCharacters = maxCharacters;
  }

  /** Whether nothing of an event that has not ended is kept. */
  get isEmpty(): boolean {
    return this.#length === 0 && !this.#hasPendingCarriageReturn;
  }

  /**
   * @returns the events that are whole now, with their blank lines; empty where none is
   * @throws RangeError when an event passes the bound
   */
  push(text: string): string {
    const received = this.#normalizeLineEndings(text);
    const last = received.lastIndexOf('\n\n');
    const end = last >= 0 ? last + 2 : this.#completesEvent(received) ? 1 : 0;
    if (end === 0) {
      this.#buffer(received);
      return '';
    }
    const complete = this.#drain() + received.slice(0, end);
    this.#buffer(received.slice(end));
    return complete;
  }

  /** What came without its blank line is an event all the same: some providers omit the last one. */
  rest(): string {
    const text = this.#drain();
    this.#hasPendingCarriageReturn = false;
    return text.endsWith('\n') ? text.slice(0, -1) : text;
  }

  #completesEvent(received: string): boolean {
    return received.startsWith('\n') && this.#parts.at(-1)?.endsWith('\n') === true;
  }

  #normalizeLineEndings(text: string): string {
    if (!this.#hasPendingCarriageReturn && !text.includes('\r')) return text;
    const joined = this.#hasPendingCarriageReturn ? `\r${text}` : text;
    this.#hasPendingCarriageReturn = joined.endsWith('\r');
    return (this.#hasPendingCarriageReturn ? joined.slice(0, -1) : joined).replace(/\r\n?/g, '\n');
  }

  #buffer(text: string): void {
    if (text === '') return;
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length > this.#maxCharacters)
      throw new RangeError(`an event is longer than ${this.#maxCharacters} characters`);
  }

  #drain(): string {
    if (this.#length === 0) return '';
    const text = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    return text;
  }
}

/** The joined `data` of one event; null for one that has none. Other fields say nothing that the data does not. */
export function eventData(event: string): string | null {
  // Mostly one line of data, alone or behind the event's name.
  const start = event.startsWith('event:') ? event.indexOf('\n') + 1 : 0;
  if (event.startsWith('data: ', start) && event.indexOf('\n', start) < 0) return event.slice(start + 6);
  const lines = event.split('\n').filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? null : lines.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n');
}
