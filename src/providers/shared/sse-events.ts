import { WholeEvents } from './whole-events.ts';

/**
 * Decodes server-sent events from bytes that may be cut anywhere. Calls back with the joined `data` of each; other fields say
 * nothing that the data does not. Source: WHATWG HTML, server-sent events, 9.2.6.
 */
export class SseEvents {
  readonly #onData: (data: string) => void;
  readonly #decoder = new TextDecoder();
  readonly #events = new WholeEvents();

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  /** @throws RangeError when an event passes the bound */
  push(bytes: Buffer): void {
    this.#tell(this.#events.push(this.#decoder.decode(bytes, { stream: true })));
  }

  /** @throws RangeError when an event passes the bound */
  end(): void {
    this.#tell(this.#events.push(this.#decoder.decode()));
    const last = this.#events.rest();
    if (last !== '') this.#event(last);
  }

  #tell(whole: string): void {
    let start = 0;
    for (let blank = whole.indexOf('\n\n'); blank >= 0; blank = whole.indexOf('\n\n', start)) {
      this.#event(whole.slice(start, blank));
      start = blank + 2;
    }
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
