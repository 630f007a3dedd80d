import type { SluiceError } from '../../../../errors/index.ts';
import type { TokenUsage } from '../../capability.ts';
import { readFinishReason } from '../chat-usage.ts';

/** What the pipeline knows of the stream of a chat, in whatever form it is relayed. */
export abstract class ObservedStream {
  readonly contentType = 'text/event-stream; charset=utf-8';
  done = false;
  failure: SluiceError | null = null;
  protected readonly observed: StreamUsage;

  constructor(observed = new StreamUsage()) {
    this.observed = observed;
  }

  get finishReason(): string | null {
    return this.observed.finishReason;
  }

  get isComplete(): boolean {
    return this.observed.finishReason !== null;
  }

  get usage(): TokenUsage | null {
    return this.observed.current;
  }

  get isUsageEstimated(): boolean {
    return this.observed.isEstimated;
  }

  get estimatedOutputTokens(): number {
    return this.observed.estimatedOutputTokens;
  }
}

const BYTES_PER_TOKEN = 4;

/** The usage of a streamed chat as far as it is known. */
export class StreamUsage {
  /** A valid finish reason; null until one is reported. */
  finishReason: string | null = null;
  /** The last usage that the provider reported. */
  reported: TokenUsage | null = null;
  /** Whether usage was reported after the finish reason, after which nothing is produced. */
  isFinal = false;
  /** Bytes of an event with almost no content. */
  envelopeBytes = 0;
  /** Events and bytes of the output so far. */
  events = 0;
  bytes = 0;

  /** As the provider reported it; of an unfinished stream, with the estimated output where that is larger. */
  get current(): TokenUsage | null {
    const { reported } = this;
    if (reported === null || !this.isEstimated) return reported;
    return { ...reported, outputTokens: this.estimatedOutputTokens };
  }

  get isEstimated(): boolean {
    const { reported } = this;
    return reported === null || (!this.isFinal && reported.outputTokens < this.estimatedOutputTokens);
  }

  get estimatedOutputTokens(): number {
    const content = this.bytes - this.events * this.envelopeBytes;
    return Math.max(this.events, Math.ceil(content / BYTES_PER_TOKEN));
  }

  onUsage(reported: TokenUsage): void {
    this.reported = reported;
    this.isFinal = this.finishReason !== null;
  }

  onFinish(reason: string): void {
    this.finishReason = readFinishReason(reason) ?? this.finishReason;
    this.isFinal = false;
  }
}
