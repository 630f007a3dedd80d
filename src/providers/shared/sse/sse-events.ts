import { eventData, SseEventSplitter } from './sse-event-splitter.ts';

/**
 * Decodes server-sent events from bytes split at any position. Calls back with the joined `data` of each.
 * Source: WHATWG HTML, server-sent events, 9.2.6.
 */
export class SseEvents {
  readonly #onData: (data: string) => void;
  readonly #decoder = new TextDecoder();
  readonly #events = new SseEventSplitter();

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  /** @throws RangeError when an event exceeds the limit */
  push(bytes: Buffer): void {
    this.#emit(this.#events.push(this.#decoder.decode(bytes, { stream: true })));
  }

  /** @throws RangeError when an event exceeds the limit */
  end(): void {
    this.#emit(this.#events.push(this.#decoder.decode()));
    const last = this.#events.rest();
    if (last !== '') this.#event(last);
  }

  #emit(events: string): void {
    let start = 0;
    for (let blank = events.indexOf('\n\n'); blank >= 0; blank = events.indexOf('\n\n', start)) {
      this.#event(events.slice(start, blank));
      start = blank + 2;
    }
  }

  #event(event: string): void {
    const data = eventData(event);
    if (data !== null) this.#onData(data);
  }
}
