import { SluiceError } from '../../../errors/index.ts';
import type { ChatRequestContext, HeaderMap, Upstream, UpstreamReceiver } from '../../contract.ts';
import type { ChatAnswerWriter } from './chat-answer.ts';
import { ChunkWriter } from '../sse/chunk-writer.ts';
import { DocumentWriter } from '../json/document-writer.ts';
import { SseEvents } from '../sse/sse-events.ts';
import { parseAnswer } from '../json/json-complexity.ts';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Maximum of a stream: translators retain parts of it, such as signed reasoning. */
const MAX_STREAM_BYTES = 256 * 1024 * 1024;

/** Writes a provider's response in the canonical form. One object per call. An exception fails the call. */
export interface AnswerTranslator {
  /** One event of a streamed answer: its parsed data. Unknown kinds are ignored. */
  event(event: unknown): void;
  /** A complete response that is not streamed. */
  document(body: unknown): void;
  /** Whether the response is complete: a stream that stops before is interrupted. */
  readonly ended: boolean;
}

/** Translates the bytes of a provider with another protocol to OpenAI's format. */
export class TranslatedAnswer implements UpstreamReceiver {
  readonly #provider: string;
  readonly #receiver: UpstreamReceiver;
  readonly #translator: AnswerTranslator;
  readonly #chunks: ChunkWriter | null;
  readonly #document: DocumentWriter | null;
  readonly #events = new SseEvents((data) => this.#event(data));
  #upstream: Upstream | null = null;
  #streamed = false;
  #parts: Buffer[] = [];
  #length = 0;
  #over = false;

  constructor(
    provider: string,
    context: ChatRequestContext,
    receiver: UpstreamReceiver,
    translate: (writer: ChatAnswerWriter) => AnswerTranslator,
  ) {
    this.#provider = provider;
    this.#receiver = receiver;
    const { model, stream, wantsUsage, keepReasoning } = context;
    this.#chunks = stream ? new ChunkWriter(model, wantsUsage, keepReasoning) : null;
    this.#document = stream ? null : new DocumentWriter(provider, model, keepReasoning);
    const writer = this.#chunks ?? this.#document;
    if (writer === null) throw new Error('an answer is streamed or not');
    this.#translator = translate(writer);
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
    if (this.#chunks !== null && this.#streamed)
      this.#receiver.onHead(status, { 'content-type': 'text/event-stream; charset=utf-8' });
    else if (this.#chunks !== null) this.#fail(this.#unintelligible('no event stream'));
  }

  onData(bytes: Buffer): void {
    if (this.#over) return;
    if (this.#chunks === null || !this.#streamed) {
      this.#parts.push(bytes);
      this.#length += bytes.length;
      if (this.#length > MAX_ANSWER_BYTES) this.#fail(this.#unintelligible('the answer is too long'));
      return;
    }
    this.#length += bytes.length;
    if (this.#length > MAX_STREAM_BYTES) {
      this.#fail(this.#unintelligible('the answer is too long'));
      return;
    }
    try {
      this.#events.push(bytes);
    } catch (error) {
      this.#fail(this.#translationFault(error));
    }
    this.#pass(this.#chunks);
  }

  onEnd(): void {
    if (this.#over) return;
    try {
      if (this.#chunks !== null) this.#endStream(this.#chunks);
      else if (this.#document !== null) this.#endDocument(this.#document);
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

  #endStream(chunks: ChunkWriter): void {
    this.#events.end();
    if (this.#over) return;
    if (this.#translator.ended) chunks.end();
    else chunks.writeUsage();
    this.#pass(chunks);
    this.#over = true;
    if (this.#translator.ended) this.#receiver.onEnd();
    else this.#receiver.onFailure(new SluiceError('provider_stream_cut', { values: { provider: this.#provider } }));
  }

  #endDocument(document: DocumentWriter): void {
    this.#translator.document(parseAnswer(Buffer.concat(this.#parts)));
    const body = document.document();
    this.#over = true;
    this.#receiver.onHead(200, { 'content-type': 'application/json' });
    this.#receiver.onData(body);
    this.#receiver.onEnd();
  }

  #event(data: string): void {
    if (!this.#over && data !== '[DONE]') this.#translator.event(parseAnswer(data));
  }

  #pass(chunks: ChunkWriter): void {
    const bytes = this.#over ? null : chunks.drain();
    if (bytes !== null) this.#receiver.onData(bytes);
  }

  /** Everything parsed before is relayed first, with the usage: an interrupted response is metered by it. */
  #passCut(): void {
    if (this.#chunks === null) return;
    this.#chunks.writeUsage();
    this.#pass(this.#chunks);
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
      : this.#unintelligible(error instanceof Error ? error.name : 'no error');
  }

  #unintelligible(detail: string): SluiceError {
    return new SluiceError('provider_invalid_response', { values: { provider: this.#provider }, detail });
  }
}
