import { SluiceError } from '../../../../errors/index.ts';
import type { GenerationResult } from '../../../../protocols/canonical/generation-result.ts';
import type { StreamPart } from '../../../../protocols/canonical/stream-part.ts';
import type { Usage } from '../../../../protocols/canonical/usage.ts';
import { STREAM_PARTS, type ChatReceiver, type HeaderMap, type Upstream } from '../../../../providers/contract.ts';
import type { StreamRelay, StreamRelayOptions } from '../../capability.ts';
import { readChatResult } from '../../chat/chat-answer.ts';
import { readUsage } from '../../chat/chat-usage.ts';
import { DecodedChatStream, ResponsePartsRelay } from '../../responses/response-relays.ts';

/** What receives the response of one of several chats. */
export interface JoinedResponse {
  readonly isPaused: boolean;
  onSent(): void;
  onHead(status: number, headers: HeaderMap): void;
  onParts(parts: readonly StreamPart[], offset: number): void;
  onCompleted(): void;
  onFailure(error: SluiceError): void;
}

export interface JoinedCallOptions {
  readonly provider: string;
  readonly stream: boolean;
  /** The place of its first choice among all. */
  readonly offset: number;
}

/** One of several chats whose responses are joined. */
export class JoinedCall implements ChatReceiver {
  readonly offset: number;
  upstream: Upstream | null = null;
  /** Of one that is not streamed, once it is complete. */
  result: GenerationResult | null = null;
  isOver = false;
  isComplete = false;
  /** The last that was reported. */
  #usage: Usage | null = null;
  #hasOutput = false;
  /** As the provider reports it; null where it has not. */
  model: string | null = null;
  readonly #joined: JoinedResponse;
  readonly #options: JoinedCallOptions;
  #relay: StreamRelay | null = null;

  constructor(joined: JoinedResponse, options: JoinedCallOptions) {
    this.#joined = joined;
    this.#options = options;
    this.offset = options.offset;
  }

  /** As the provider reported it, once it is complete; null where it reported none. */
  get reported(): Usage | null {
    return this.isComplete ? this.#usage : null;
  }

  /**
   * An estimate where the provider has reported none. Of one that is not complete, nothing before its first output.
   * @param inputTokens estimates its input
   * @param isDisconnected as for `Upstream.used`
   */
  used(inputTokens: () => number, isDisconnected: boolean): Usage | null {
    if (this.reported !== null) return this.reported;
    const outputTokens = this.#estimatedOutput();
    const isBilled = this.isComplete || this.#hasOutput || (isDisconnected && this.#mayBeSent);
    if (!isBilled) return null;
    const before = this.#usage ?? { inputTokens: inputTokens(), outputTokens: 0 };
    return { ...before, outputTokens: Math.max(before.outputTokens, outputTokens) };
  }

  abort(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.upstream?.abort();
  }

  onConnecting(upstream: Upstream): void {
    this.upstream = upstream;
    if (this.isOver) upstream.abort();
    else if (this.#joined.isPaused) upstream.pause();
  }

  onSent(): void {
    this.#joined.onSent();
  }

  onHead(status: number, headers: HeaderMap): void {
    if (this.isOver) return;
    const { stream } = this.#options;
    if (stream) this.#relay = this.#relayOf(String(headers['content-type'] ?? ''));
    if (stream && this.#relay === null) return this.#fail('provider_invalid_response', 'the response is not a stream');
    this.#joined.onHead(status, headers);
  }

  onData(bytes: Buffer): void {
    if (!this.isOver) this.#relayed(this.#relay?.push(bytes));
  }

  onParts(parts: StreamPart[]): void {
    if (this.isOver) return;
    // The relay withholds usage until it is known to be the last.
    for (const part of parts) if (part.type === 'usage') this.#observe(part.usage);
    this.#relayed(this.#relay?.pushParts?.(parts));
  }

  onResult(result: GenerationResult): void {
    if (this.isOver) return;
    this.result = result;
    this.model = result.start.model;
    this.#observe(result.usage);
  }

  onEnd(): void {
    if (this.isOver) return;
    const { stream } = this.#options;
    // A stream without its end mark is complete if it reported a finish reason.
    if (stream ? this.#relay?.isComplete === true : this.result !== null) return this.#complete();
    this.#fail(stream ? 'provider_stream_cut' : 'provider_invalid_response', stream ? undefined : 'no choices');
  }

  onFailure(error: SluiceError): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#joined.onFailure(error);
  }

  #relayed(output: unknown): void {
    const relay = this.#relay;
    if (relay === null) return;
    const parts: readonly StreamPart[] = Array.isArray(output) ? output : [];
    this.#hasOutput ||= parts.length > 0;
    for (const part of parts)
      if (part.type === 'usage') this.#observe(part.usage);
      else if (part.type === 'start') this.model ??= part.model;
    this.#joined.onParts(parts, this.offset);
    if (this.isOver) return;
    if (relay.failure !== null) {
      this.upstream?.abort();
      return this.onFailure(relay.failure);
    }
    if (relay.done) this.#complete();
  }

  /** Implausible usage is none. */
  #observe(usage: Usage | null): void {
    if (usage !== null && readUsage(usage) !== null) this.#usage = usage;
  }

  #estimatedOutput(): number {
    if (this.result !== null) return readChatResult(this.result).estimatedOutputTokens;
    return this.#relay?.estimatedOutputTokens ?? 0;
  }

  get #mayBeSent(): boolean {
    return this.upstream !== null && this.upstream.isSent !== false;
  }

  #complete(): void {
    this.isOver = true;
    this.isComplete = true;
    this.#joined.onCompleted();
  }

  #fail(code: 'provider_invalid_response' | 'provider_stream_cut', detail?: string): void {
    const { provider } = this.#options;
    this.upstream?.abort();
    this.onFailure(new SluiceError(code, { values: { provider }, ...(detail !== undefined && { detail }) }));
  }

  /** Null where it is no stream of a chat. */
  #relayOf(contentType: string): StreamRelay | null {
    const options: StreamRelayOptions = {
      provider: this.#options.provider,
      contentType,
      summary: null,
      wantsUsage: true,
      // The joined response is priced and watched.
      pricing: { costOf: () => 0n },
      watch: () => undefined,
      watched: () => false,
    };
    if (contentType === STREAM_PARTS) return new ResponsePartsRelay(options);
    return contentType.startsWith('text/event-stream') ? new DecodedChatStream(options) : null;
  }
}
