import { SluiceError } from '../../../../errors/index.ts';
import { collectResult, type GenerationResult } from '../../../../protocols/canonical/generation-result.ts';
import { ChatCompletionsDecoder } from '../../../../protocols/chat-completions/decode-stream.ts';
import type { ChatReceiver, HeaderMap, Upstream } from '../../../../providers/contract.ts';
import type { StreamPart } from '../../../../protocols/canonical/stream-part.ts';
import { parseChatResponse } from '../../chat/chat-answer.ts';
import { tryParse } from '../../../json-text.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/** The size of the unstreamed responses to one request, which are held until all are complete. */
export class HeldBytes {
  #bytes = 0;

  /** @returns whether the maximum is exceeded */
  add(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes > MAX_BYTES;
  }
}

/** Decodes the unstreamed response of a provider of chats to a result, which the client's protocol encodes. */
export class ChatDocumentReceiver implements ChatReceiver {
  readonly #provider: string;
  readonly #receiver: ChatReceiver;
  #upstream: Upstream | null = null;
  #parts: Buffer[] = [];
  readonly #held: HeldBytes;
  readonly #isOneOfSeveral: boolean;
  #isOver = false;

  /** @param held of all calls, where the request is several */
  constructor(provider: string, receiver: ChatReceiver, held: HeldBytes | null = null) {
    this.#provider = provider;
    this.#receiver = receiver;
    this.#held = held ?? new HeldBytes();
    this.#isOneOfSeveral = held !== null;
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
    if (this.#held.add(bytes.length)) this.#fail(this.#invalid('the response is too long'));
  }

  onParts(parts: StreamPart[]): void {
    this.#receiver.onParts(parts);
  }

  onResult(result: GenerationResult): void {
    if (this.#isOver) return;
    // One alone was limited by what decoded it.
    if (this.#isOneOfSeveral && this.#held.add(Buffer.byteLength(JSON.stringify(result.choices))))
      return this.#fail(this.#invalid('the responses are too long together'));
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
