import { SluiceError } from '../../errors/index.ts';
import { membersOf } from '../../protocols/canonical/json-members.ts';
import type { HeaderMap, Upstream, UpstreamReceiver } from '../contract.ts';
import { exceptionError } from './errors.ts';
import { EventStreamReader, type EventMessage } from './event-stream.ts';

const EVENTS: HeaderMap = { 'content-type': 'text/event-stream' };
/** How the model's events begin. */
const leadingType = /^\{"type": ?"(\w+)"/;

/**
 * Passes on the stream of `InvokeModelWithResponseStream` as server-sent events: each `chunk` has an event of the model's own
 * protocol as `{"bytes"}` in Base64, whose JSON is not changed. Source:
 * docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ResponseStream.html.
 */
export class UnwrappedStream implements UpstreamReceiver {
  readonly #provider: string;
  readonly #receiver: UpstreamReceiver;
  readonly #reader = new EventStreamReader();
  #upstream: Upstream | null = null;
  #isOver = false;

  constructor(provider: string, receiver: UpstreamReceiver) {
    this.#provider = provider;
    this.#receiver = receiver;
  }

  onConnecting(upstream: Upstream): void {
    this.#upstream = upstream;
    this.#receiver.onConnecting(upstream);
  }

  onSent(): void {
    this.#receiver.onSent?.();
  }

  onHead(status: number, headers: HeaderMap): void {
    const contentType = String(headers['content-type'] ?? '');
    if (contentType.startsWith('application/vnd.amazon.eventstream')) this.#receiver.onHead(status, EVENTS);
    else this.#fail(this.#invalid('no event stream'));
  }

  onData(bytes: Buffer): void {
    if (this.#isOver) return;
    try {
      this.#reader.push(bytes);
      for (let message = this.#reader.next(); message !== null; message = this.#reader.next()) this.#pass(message);
    } catch (error) {
      this.#fail(error instanceof SluiceError ? error : this.#invalid('no event stream'));
    }
  }

  onEnd(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#reader.isIncomplete) return this.#receiver.onEnd();
    this.#receiver.onFailure(new SluiceError('provider_stream_cut', { values: { provider: this.#provider } }));
  }

  onFailure(error: SluiceError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#receiver.onFailure(error);
  }

  #pass({ headers, payload }: EventMessage): void {
    if (this.#isOver) return;
    const kind = headers.get(':message-type');
    // An exception is one of the API's own; an error has a code and a message in its headers.
    if (kind === 'exception')
      throw exceptionError(this.#provider, headers.get(':exception-type') ?? 'exception', payload);
    if (kind === 'error') {
      const message = headers.get(':error-message') ?? '';
      const name = headers.get(':error-code') ?? 'error';
      throw exceptionError(this.#provider, name, Buffer.from(JSON.stringify({ message })));
    }
    if (headers.get(':event-type') === 'chunk') this.#receiver.onData(serverSentEvent(payload));
  }

  #fail(error: SluiceError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#upstream?.abort();
    this.#receiver.onFailure(error);
  }

  #invalid(detail: string): SluiceError {
    return new SluiceError('provider_invalid_response', { values: { provider: this.#provider }, detail });
  }
}

/** @throws SyntaxError */
function serverSentEvent(payload: Buffer): Buffer {
  const { bytes } = membersOf(JSON.parse(payload.toString()));
  const json = Buffer.from(typeof bytes === 'string' ? bytes : '', 'base64').toString();
  const type = leadingType.exec(json)?.[1] ?? String(membersOf(JSON.parse(json)).type);
  // Line breaks can only stand between the tokens of JSON.
  const data = json.replaceAll(/[\r\n]+/g, ' ');
  return Buffer.from(`event: ${type}\ndata: ${data}\n\n`);
}
