import { SluiceError } from '../../../errors/index.ts';
import { StreamPartWriter } from '../../../protocols/canonical/stream-part-writer.ts';
import type { ResponseDecoder } from '../../../protocols/canonical/response-decoder.ts';
import type { StreamObserver } from '../../../protocols/canonical/protocol.ts';
import { usageObject } from '../../../protocols/canonical/usage.ts';
import type { StreamRelay, StreamRelayOptions, TokenUsage } from '../capability.ts';
import { readChatUsage, readFinishReason, servedBy } from '../chat/chat-usage.ts';
import { reportedError } from '../chat/reported-error.ts';
import { partUpdate } from '../chat/stream/observed-parts.ts';
import { SseBlocks } from '../chat/stream/sse-blocks.ts';
import { SseEvents } from '../../../providers/shared/sse/sse-events.ts';
import { tryParse } from '../../json-text.ts';

const BYTES_PER_TOKEN = 4;
const NOTHING = Buffer.alloc(0);

/** How the bytes of a stream are read. */
export interface NativeReading {
  readonly observer: StreamObserver;
  /** Decodes events for live subscribers. */
  decoder(writer: StreamPartWriter): ResponseDecoder;
}

/** Relays a stream whose provider speaks the client's protocol: byte for byte, in complete events. */
export class NativeStream implements StreamRelay {
  readonly closing = NOTHING;
  readonly contentType: string;
  failure: SluiceError | null = null;
  readonly #options: StreamRelayOptions;
  readonly #reading: NativeReading;
  readonly #blocks = new SseBlocks();
  #live: LiveUpdates | null = null;
  /** Events before the first output: if the stream breaks, another target can still take over. */
  #withheld: Buffer | null = null;

  constructor(options: StreamRelayOptions, contentType: string, reading: NativeReading) {
    this.#options = options;
    this.contentType = contentType;
    this.#reading = reading;
  }

  get isComplete(): boolean {
    return this.observer.isDone;
  }

  /** The end mark is sent once the request is settled: a client that has it has been billed. */
  get done(): boolean {
    return this.observer.hasEndMark && this.observer.isDone;
  }

  get finishReason(): string | null {
    return readFinishReason(this.observer.finishReason);
  }

  get usage(): TokenUsage | null {
    const { usage, model, serviceTier } = this.observer;
    const reported = usage && servedBy(readChatUsage(usageObject(usage)), model, serviceTier ?? undefined);
    if (reported === null || !this.isUsageEstimated) return reported;
    return { ...reported, outputTokens: this.estimatedOutputTokens };
  }

  get isUsageEstimated(): boolean {
    const { usage } = this.observer;
    return usage === null || (!this.isComplete && usage.outputTokens < this.estimatedOutputTokens);
  }

  get estimatedOutputTokens(): number {
    return Math.ceil(this.observer.outputBytes / BYTES_PER_TOKEN);
  }

  push(bytes: Buffer): Buffer | null {
    if (this.failure) return null;
    try {
      const block = this.#blocks.push(bytes);
      return block === null ? null : this.#relay(block);
    } catch (cause) {
      this.failure = new SluiceError('provider_invalid_response', {
        values: { provider: this.#options.provider },
        cause,
      });
      return null;
    }
  }

  #relay(block: Buffer): Buffer | null {
    this.observer.observe(block.toString('latin1'));
    const { error } = this.observer;
    if (error !== null) {
      this.failure = reportedError(this.#options.provider, error);
      return null;
    }
    if (this.#options.watched()) this.#publish(block);
    const all = this.#withheld === null ? block : Buffer.concat([this.#withheld, block]);
    const isShown = this.observer.hasOutput;
    // A copy: a view would retain the socket's entire read buffer.
    this.#withheld = isShown ? null : Buffer.from(all);
    return isShown ? all : null;
  }

  #publish(block: Buffer): void {
    this.#live ??= new LiveUpdates(this.#reading, this.#options);
    this.#live.push(block);
  }

  get observer(): StreamObserver {
    return this.#reading.observer;
  }
}

/** Decodes relayed events for live subscribers. */
class LiveUpdates {
  readonly #options: StreamRelayOptions;
  readonly #writer = new StreamPartWriter('');
  readonly #events: SseEvents;

  constructor(reading: NativeReading, options: StreamRelayOptions) {
    this.#options = options;
    const decoder = reading.decoder(this.#writer);
    this.#events = new SseEvents((data) => {
      const event = tryParse(data);
      if (event !== undefined) decoder.event(event);
    });
  }

  push(block: Buffer): void {
    this.#events.push(block);
    for (const part of this.#writer.take() ?? []) {
      const update = partUpdate(part);
      if (update !== null) this.#options.watch(update);
    }
  }
}
