import { ChatCompletionsDecoder } from '../../../protocols/chat-completions/decode-stream.ts';
import { eventData } from '../../../protocols/chat-completions/event-text.ts';
import type { StreamPart, UsagePart } from '../../../protocols/canonical/stream-part.ts';
import { usdOf, type StreamRelay, type StreamRelayOptions } from '../capability.ts';
import { ChatStream } from '../chat/stream/chat-stream.ts';
import { ObservedParts } from '../chat/stream/observed-parts.ts';
import { ObservedStream } from '../chat/stream/observed-stream.ts';
import { tryParse } from '../../json-text.ts';

/** The response itself encodes its end. */
const CLOSING = Buffer.alloc(0);

/** Decodes OpenAI's chat stream to parts. */
export class DecodedChatStream extends ObservedStream implements StreamRelay {
  readonly closing = CLOSING;
  readonly #chat: ChatStream;
  readonly #decoder = new ChatCompletionsDecoder();

  constructor(options: StreamRelayOptions) {
    super();
    this.#chat = new ChatStream(options, this.observed);
  }

  push(bytes: Buffer): readonly StreamPart[] | null {
    const events = this.#chat.push(bytes);
    this.done = this.#chat.done;
    this.failure = this.#chat.failure;
    if (events === null) return null;
    for (const event of events.toString().split('\n\n')) {
      const data = eventData(`${event}\n\n`);
      if (data !== null) this.#decoder.event(tryParse(data));
    }
    return this.#decoder.take();
  }
}

/** Relays the parts of a provider with another protocol. */
export class ResponsePartsRelay extends ObservedParts<readonly StreamPart[]> implements StreamRelay {
  readonly closing = CLOSING;
  #parts: StreamPart[] = [];
  /** Citations and reasoning details, in this order, are sent before the finish reason, as in a chat. */
  #citations: StreamPart[] = [];
  #details: StreamPart[] = [];
  /** The last usage, withheld until it is known to be the last. */
  #usage: UsagePart | null = null;

  protected override add(part: StreamPart): void {
    const size = Buffer.byteLength(this.encoder.encode(part));
    this.observed.bytes += size;
    switch (part.type) {
      case 'start':
        this.#parts.push(part);
        return;
      case 'usage':
        return this.#addUsage(part);
      case 'source':
        this.#citations.push(part);
        return;
      case 'reasoning-detail':
        this.#details.push(part);
        return;
      case 'finish':
        this.#parts.push(...this.#citations.splice(0), ...this.#details.splice(0), part);
        return;
      default:
        if (size > 0) this.#parts.push(part);
    }
  }

  protected override take(): readonly StreamPart[] | null {
    if (this.#usage !== null && (this.observed.isFinal || this.done)) {
      this.#parts.push(this.#usage);
      this.#usage = null;
    }
    if (!this.hasContent || this.#parts.length === 0) return null;
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #addUsage(part: UsagePart): void {
    const reported = this.observeUsage(part);
    if (reported === null) this.#parts.push(part);
    else this.#usage = { ...part, cost: usdOf(this.options.pricing, reported) };
  }
}
