import { SluiceError } from '../../../errors/index.ts';
import {
  STREAM_PARTS,
  type ChatReceiver,
  type ChatRequestContext,
  type HeaderMap,
  type Upstream,
  type UpstreamReceiver,
} from '../../contract.ts';
import type { ResponseDecoder } from '../../../protocols/canonical/response-decoder.ts';
import { StreamPartWriter } from '../../../protocols/canonical/stream-part-writer.ts';
import { takeResult } from './take-result.ts';
import { SseEvents } from '../sse/sse-events.ts';
import { parseAnswer } from '../json/json-complexity.ts';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Maximum of a stream: translators retain parts of it, such as signed reasoning. */
const MAX_STREAM_BYTES = 256 * 1024 * 1024;

/** Decodes the bytes of a provider with another protocol: a stream to parts, a document to a result. */
export class TranslatedAnswer implements UpstreamReceiver {
  readonly #provider: string;
  readonly #receiver: ChatReceiver;
  readonly #translator: ResponseDecoder;
  readonly #writer: StreamPartWriter;
  readonly #isStream: boolean;
  readonly #events = new SseEvents((data) => this.#event(data));
  #upstream: Upstream | null = null;
  #streamed = false;
  #parts: Buffer[] = [];
  #length = 0;
  #over = false;

  constructor(
    provider: string,
    context: ChatRequestContext,
    receiver: ChatReceiver,
    translate: (writer: StreamPartWriter) => ResponseDecoder,
  ) {
    this.#provider = provider;
    this.#receiver = receiver;
    this.#isStream = context.stream;
    this.#writer = new StreamPartWriter(context.model, context.storeReasoning);
    this.#translator = translate(this.#writer);
  }

  onConnecting(upstream: Upstream): void {
    this.#upstream = upstream;
    this.#receiver.onConnecting(upstream);
  }

  onSent(): void {
    this.#receiver.onSent?.();
  }

  onHead(status: number, headers: HeaderMap): void {
    this.#streamed = String(headers['content-type'] ?? '').startsWith('text/event-stream');
    if (!this.#isStream) return;
    if (this.#streamed) this.#receiver.onHead(status, { 'content-type': STREAM_PARTS });
    else this.#fail(this.#invalidResponse('no event stream'));
  }

  onData(bytes: Buffer): void {
    if (this.#over) return;
    if (!this.#isStream || !this.#streamed) {
      this.#parts.push(bytes);
      this.#length += bytes.length;
      if (this.#length > MAX_ANSWER_BYTES) this.#fail(this.#invalidResponse('the answer is too long'));
      return;
    }
    this.#length += bytes.length;
    if (this.#length > MAX_STREAM_BYTES) {
      this.#fail(this.#invalidResponse('the answer is too long'));
      return;
    }
    try {
      this.#events.push(bytes);
    } catch (error) {
      this.#fail(this.#translationFault(error));
    }
    this.#pass();
  }

  onEnd(): void {
    if (this.#over) return;
    try {
      if (this.#isStream) this.#endStream();
      else this.#endDocument();
    } catch (error) {
      this.#fail(this.#translationFault(error));
    }
  }

  onFailure(error: SluiceError): void {
    if (this.#over) return;
    this.#passCut();
    this.#over = true;
    this.#receiver.onFailure(error);
  }

  #endStream(): void {
    this.#events.end();
    if (this.#over) return;
    if (this.#translator.ended) this.#writer.end();
    else this.#writer.writeUsage();
    this.#pass();
    this.#over = true;
    if (this.#translator.ended) this.#receiver.onEnd();
    else this.#receiver.onFailure(new SluiceError('provider_stream_cut', { values: { provider: this.#provider } }));
  }

  #endDocument(): void {
    this.#translator.document(parseAnswer(Buffer.concat(this.#parts)));
    const result = takeResult(this.#provider, this.#writer);
    this.#over = true;
    this.#receiver.onHead(200, {});
    this.#receiver.onResult(result);
    this.#receiver.onEnd();
  }

  #event(data: string): void {
    if (!this.#over && data !== '[DONE]') this.#translator.event(parseAnswer(data));
  }

  #pass(): void {
    const parts = this.#over ? null : this.#writer.take();
    if (parts !== null) this.#receiver.onParts(parts);
  }

  /** Everything parsed before is relayed first, with the usage: an interrupted response is metered by it. */
  #passCut(): void {
    if (!this.#isStream) return;
    this.#writer.writeUsage();
    this.#pass();
  }

  #fail(error: SluiceError): void {
    if (this.#over) return;
    this.#passCut();
    this.#over = true;
    this.#upstream?.abort();
    this.#receiver.onFailure(error);
  }

  /** A parser's error is not attached: it quotes content, which must not be logged. */
  #translationFault(error: unknown): SluiceError {
    return error instanceof SluiceError
      ? error
      : this.#invalidResponse(error instanceof Error ? error.name : 'no error');
  }

  #invalidResponse(detail: string): SluiceError {
    return new SluiceError('provider_invalid_response', { values: { provider: this.#provider }, detail });
  }
}
