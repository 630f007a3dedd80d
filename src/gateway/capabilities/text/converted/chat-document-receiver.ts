import { SluiceError } from '../../../../errors/index.ts';
import { collectResult, type GenerationResult } from '../../../../protocols/canonical/generation-result.ts';
import { ChatCompletionsDecoder } from '../../../../protocols/chat-completions/decode-stream.ts';
import type { ChatReceiver, HeaderMap, Upstream } from '../../../../providers/contract.ts';
import type { StreamPart } from '../../../../protocols/canonical/stream-part.ts';
import { parseChatResponse } from '../../chat/chat-answer.ts';
import { tryParse } from '../../../json-text.ts';

const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** Decodes the unstreamed response of a provider of chats to a result, which the client's protocol encodes. */
export class ChatDocumentReceiver implements ChatReceiver {
  readonly #provider: string;
  readonly #receiver: ChatReceiver;
  #upstream: Upstream | null = null;
  #parts: Buffer[] = [];
  #length = 0;
  #isOver = false;

  constructor(provider: string, receiver: ChatReceiver) {
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
    this.#receiver.onHead(status, headers);
  }

  onData(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#length > MAX_DOCUMENT_BYTES) this.#fail(this.#invalid('the response is too long'));
  }

  onParts(parts: StreamPart[]): void {
    this.#receiver.onParts(parts);
  }

  onResult(result: GenerationResult): void {
    this.#receiver.onResult(result);
  }

  onEnd(): void {
    if (this.#isOver) return;
    // The provider has another protocol: its result was passed on.
    if (this.#parts.length === 0) return this.#receiver.onEnd();
    let result: GenerationResult;
    try {
      result = this.#decode(Buffer.concat(this.#parts));
    } catch (error) {
      return this.#fail(error instanceof SluiceError ? error : this.#invalid('no chat completion'));
    }
    this.#isOver = true;
    this.#parts = [];
    this.#receiver.onResult(result);
    this.#receiver.onEnd();
  }

  onFailure(error: SluiceError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#receiver.onFailure(error);
  }

  /** @throws SluiceError provider_invalid_response | provider_error */
  #decode(document: Buffer): GenerationResult {
    // Recognises what a provider reports instead of a response.
    parseChatResponse(this.#provider, document);
    const decoder = new ChatCompletionsDecoder();
    decoder.document(tryParse(document.toString()));
    const { start, choices, usage } = collectResult(decoder.take());
    if (start === null || choices.length === 0) throw this.#invalid('no choices');
    return { start, choices, usage };
  }

  #fail(error: SluiceError): void {
    this.#isOver = true;
    this.#parts = [];
    this.#upstream?.abort();
    this.#receiver.onFailure(error);
  }

  #invalid(detail: string): SluiceError {
    return new SluiceError('provider_invalid_response', { values: { provider: this.#provider }, detail });
  }
}
