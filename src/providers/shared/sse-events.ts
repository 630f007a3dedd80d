/** An event longer than this is none of a chat's: pictures in base64, the largest there are, stay far below. */
const LONGEST_EVENT = 16 * 1024 * 1024;

/**
 * Decodes server-sent events from bytes that may be cut anywhere. Calls back with the joined `data` of each; other fields say
 * nothing that the data does not. Source: WHATWG HTML, server-sent events, 9.2.6.
 */
export class SseEvents {
  readonly #onData: (data: string) => void;
  readonly #decoder = new TextDecoder();
  /** What came of an event that has not ended; no end stands in it, nor between its parts. */
  #parts: string[] = [];
  #length = 0;
  /** A carriage return at the end of what came may be half of a line's end. */
  #half = false;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  /** @throws RangeError when an event passes the bound */
  push(bytes: Buffer): void {
    const came = this.#withPlainLineEnds(this.#decoder.decode(bytes, { stream: true }));
    if (came === '') return;
    // Only the seam is looked at: an event in many parts is not searched anew with each of them.
    if (this.#length > 0 && !`${this.#parts.at(-1)?.at(-1) ?? ''}${came}`.includes('\n\n')) {
      this.#keep(came);
      return;
    }
    const text = this.#taken() + came;
    let start = 0;
    for (let blank = text.indexOf('\n\n'); blank >= 0; blank = text.indexOf('\n\n', start)) {
      this.#event(text.slice(start, blank));
      start = blank + 2;
    }
    if (start < text.length) this.#keep(text.slice(start));
  }

  /** What came without its blank line is an event all the same: some providers omit the last one. */
  end(): void {
    const rest = this.#taken() + this.#withPlainLineEnds(this.#decoder.decode());
    if (rest !== '') this.#event(rest.replace(/[\r\n]+$/, ''));
  }

  #withPlainLineEnds(text: string): string {
    if (!this.#half && !text.includes('\r')) return text;
    const whole = this.#half ? `\r${text}` : text;
    this.#half = text !== '' && whole.endsWith('\r');
    return (this.#half ? whole.slice(0, -1) : whole).replace(/\r\n?/g, '\n');
  }

  #keep(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length > LONGEST_EVENT) throw new RangeError(`an event is longer than ${LONGEST_EVENT} characters`);
  }

  #taken(): string {
    const text = this.#parts.length === 0 ? '' : this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    return text;
  }

  #event(event: string): void {
    // Mostly one line of data, alone or behind the event's name.
    const start = event.startsWith('event:') ? event.indexOf('\n') + 1 : 0;
    if (event.startsWith('data: ', start) && event.indexOf('\n', start) < 0) {
      this.#onData(event.slice(start + 6));
      return;
    }
    const lines = event.split('\n').filter((line) => line.startsWith('data:'));
    if (lines.length > 0) this.#onData(lines.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n'));
  }
}
