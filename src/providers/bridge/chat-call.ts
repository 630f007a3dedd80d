import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { StreamPartWriter } from '../../protocols/canonical/stream-part-writer.ts';
import { STREAM_PARTS, type ChatReceiver, type ChatRequestContext, type Upstream } from '../contract.ts';
import { takeResult } from '../shared/chat/take-result.ts';
import { StreamPartMapper } from './stream-part-mapper.ts';
import type { SignedReasoning } from './chat-dialect.ts';
import type { FetchWatch } from './package/fetched-answer.ts';
import { packageFailure } from './package/package-failure.ts';

const STREAM = { 'content-type': STREAM_PARTS };

/** One chat call in a package: writes the parts of its stream to the receiver. */
export class ChatCall implements Upstream, FetchWatch {
  unreportedBytes = 0;
  readonly #provider: string;
  readonly #context: ChatRequestContext;
  readonly #receiver: ChatReceiver;
  readonly #reasoning: SignedReasoning | null;
  readonly #aborting = new AbortController();
  #sent = false;
  #over = false;
  #paused: PromiseWithResolvers<void> | null = null;

  constructor(
    provider: string,
    context: ChatRequestContext,
    receiver: ChatReceiver,
    reasoning: SignedReasoning | null,
  ) {
    this.#provider = provider;
    this.#context = context;
    this.#receiver = receiver;
    this.#reasoning = reasoning;
  }

  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  get isSent(): boolean {
    return this.#sent;
  }

  pause(): void {
    this.#paused ??= Promise.withResolvers<void>();
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = null;
  }

  abort(): void {
    this.#over = true;
    this.#aborting.abort();
    this.resume();
  }

  onSent(): void {
    this.#sent = true;
    if (!this.#over) this.#receiver.onSent?.();
  }

  /**
   * Resolves when the response is complete; never rejects. `load` returns the model, and may have to load its package
   * first.
   */
  async run(load: () => Promise<LanguageModelV4>, options: LanguageModelV4CallOptions): Promise<void> {
    try {
      const model = await load();
      if (this.#over) return;
      const call = { ...options, abortSignal: this.signal };
      if (this.#context.stream) await this.#stream(model, call);
      else await this.#document(model, call);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #stream(model: LanguageModelV4, call: LanguageModelV4CallOptions): Promise<void> {
    const { stream } = await model.doStream(call);
    const reader = stream.getReader();
    // The signal aborts the request; this cancels what the package has buffered.
    this.signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true });
    if (this.#over) return;
    this.#receiver.onHead(200, STREAM);
    const writer = this.#newWriter();
    const mapper = new StreamPartMapper(this.#provider, writer, this.#reasoning);
    while (await this.#next(reader, mapper, writer));
    if (this.#over) return;
    if (mapper.ended) writer.end();
    this.#pass(writer);
    this.#over = true;
    this.#receiver.onEnd();
  }

  /** @returns false at the end */
  async #next(
    reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
    mapper: StreamPartMapper,
    writer: StreamPartWriter,
  ): Promise<boolean> {
    if (this.#paused) await this.#paused.promise;
    if (this.#over) return false;
    const { done, value } = await reader.read();
    if (done || this.#over) return false;
    this.unreportedBytes = 0;
    try {
      mapper.part(value);
    } finally {
      // Parts that were read before are relayed first, whatever the error is.
      this.#pass(writer);
    }
    return true;
  }

  async #document(model: LanguageModelV4, call: LanguageModelV4CallOptions): Promise<void> {
    const answer = await model.doGenerate(call);
    if (this.#over) return;
    const writer = this.#newWriter();
    new StreamPartMapper(this.#provider, writer, this.#reasoning).document(answer);
    const result = takeResult(this.#provider, writer);
    this.#over = true;
    this.#receiver.onHead(200, {});
    this.#receiver.onResult(result);
    this.#receiver.onEnd();
  }

  #newWriter(): StreamPartWriter {
    return new StreamPartWriter(this.#context.model, this.#context.storeReasoning);
  }

  #pass(writer: StreamPartWriter): void {
    const parts = this.#over ? null : writer.take();
    if (parts !== null) this.#receiver.onParts(parts);
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#aborting.abort();
    this.#receiver.onFailure(packageFailure(this.#provider, error, this.#sent));
  }
}
