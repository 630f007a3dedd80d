/** Far above the largest events of a chat, images and audio in base64. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * Splits an event stream after complete events; every line ending becomes `\n`. An event in many parts is not scanned again
 * with each part: only the boundary is checked.
 * Chat streams are split in `gateway/capabilities/chat/sse-blocks.ts`: a socket nearly always delivers complete events there,
 * and the bytes are relayed without decoding.
 * Source: WHATWG HTML, server-sent events, 9.2.5 and 9.2.6.
 */
export class SseEventSplitter {
  /** The received parts of an incomplete event. */
  #parts: string[] = [];
  #length = 0;
  /** A trailing carriage return may be the first half of a line ending. */
  #hasPendingCarriageReturn = false;
  readonly #maxCharacters: number;

  /** @param maxCharacters of an event, in characters */
  constructor(maxCharacters = MAX_EVENT_BYTES) {
    this.#maxCharacters = maxCharacters;
  }

  /** Whether no incomplete event is buffered. */
  get isEmpty(): boolean {
    return this.#length === 0 && !this.#hasPendingCarriageReturn;
  }

  /**
   * @returns the complete events with their blank lines; empty if there are none
   * @throws RangeError when an event exceeds the limit
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

  /** An event without its blank line is complete at the end: some providers omit the last one. */
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

/** The joined `data` of one event; null for one that has none. Other fields repeat what the data contains. */
export function eventData(event: string): string | null {
  // Mostly one line of data, alone or behind the event's name.
  const start = event.startsWith('event:') ? event.indexOf('\n') + 1 : 0;
  if (event.startsWith('data: ', start) && event.indexOf('\n', start) < 0) return event.slice(start + 6);
  const lines = event.split('\n').filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? null : lines.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n');
}
