import { SluiceError } from '../../../../errors/index.ts';
import type { RecordedEvents } from '../../../../protocols/responses/recorded/recorded-events.ts';
import { responseError } from '../../../../protocols/responses/response-object.ts';
import { SseEvents } from '../../../../providers/shared/sse/sse-events.ts';
import type { ClientResponse, ResponseHead, ResponseTarget } from '../../../client-response.ts';
import type { ResponseSink } from '../response-converter.ts';

/** Receives the bytes of a response in OpenAI's protocol, and records them as the events of a run. */
export class RecordedResponse implements ClientResponse {
  readonly #sink: ResponseSink;
  readonly #events: RecordedEvents;
  readonly #stream: SseEvents;
  #provider = '';

  constructor(sink: ResponseSink, events: RecordedEvents) {
    this.#sink = sink;
    this.#events = events;
    this.#stream = new SseEvents((data) => events.add(data));
  }

  head(head: ResponseHead): void {
    this.#provider = head.provider;
    this.#sink.head(head);
  }

  /** @param bytes complete events */
  write(bytes: Buffer): boolean {
    this.#stream.push(bytes);
    return this.#sink.send(this.#events.take());
  }

  /** @param bytes complete events */
  end(bytes: Buffer | null, costNano: bigint | null): void {
    if (bytes !== null) this.#stream.push(bytes);
    const provider = this.#provider;
    const missing = responseError(new SluiceError('provider_invalid_response', { values: { provider } }));
    const response = this.#events.end(missing);
    this.#sink.end(response, this.#events.take(), costNano);
  }

  fail(error: SluiceError, routed: ResponseTarget | null): void {
    if (this.#sink.runsAgain?.(error) === true) return;
    if (!this.#events.hasBegun) return this.#sink.refuse(error, routed);
    const response = this.#events.fail(responseError(error));
    this.#sink.end(response, this.#events.take(), null);
  }

  abort(): void {
    this.#sink.abort();
  }
}
