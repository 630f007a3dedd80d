/** An event longer than this is none of a chat's: pictures in base64, the largest there are, stay far below. */
const LONGEST_EVENT = 64 * 1024 * 1024;

/**
 * Decodes server-sent events from bytes that may be cut anywhere. Calls back with the joined `data` of each; other fields say
 * nothing that the data does not. Source: WHATWG HTML, server-sent events, 9.2.6.
 */
export class SseEvents {
  readonly #onData: (data: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = '';

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  /** @throws RangeError when an event passes the bound */
  push(bytes: Buffer): void {
    let text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    if (text.includes('\r')) {
      // A carriage return at the end may be half of a line's end: it waits for the other half.
      const half = text.endsWith('\r') ? text.length - 1 : text.length;
      text = text.slice(0, half).replace(/\r\n?/g, '\n') + text.slice(half);
    }
    let start = 0;
    for (let blank = text.indexOf('\n\n'); blank >= 0; blank = text.indexOf('\n\n', start)) {
      this.#event(text.slice(start, blank));
      start = blank + 2;
    }
    this.#rest = text.slice(start);
    if (this.#rest.length > LONGEST_EVENT) throw new RangeError(`an event is longer than ${LONGEST_EVENT} characters`);
  }

  /** What came without its blank line is an event all the same: some providers omit the last one. */
  end(): void {
    const rest = this.#rest + this.#decoder.decode();
    this.#rest = '';
    if (rest !== '') this.#event(rest.replace(/[\r\n]+$/, ''));
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
