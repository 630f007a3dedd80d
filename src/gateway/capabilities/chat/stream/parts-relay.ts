import type { SluiceError } from '../../../../errors/index.ts';
import type { StreamPart, UsagePart } from '../../../../protocols/canonical/stream-part.ts';
import { ChatCompletionsStreamEncoder, DONE_EVENT } from '../../../../protocols/chat-completions/encode-stream.ts';
import { usageObject } from '../../../../protocols/chat-completions/usage-object.ts';
import { usdOf, type StreamRelay, type StreamRelayOptions, type TokenUsage } from '../../capability.ts';
import { readChatUsage, servedBy } from '../chat-usage.ts';
import { partUpdate } from './part-update.ts';
import { reportedError } from '../reported-error.ts';
import { StreamUsage } from './stream-usage.ts';

const CLOSING = Buffer.from(DONE_EVENT);

/** Encodes the parts of a provider with another protocol as OpenAI's chat stream, and observes their usage. */
export class PartsRelay implements StreamRelay {
  readonly contentType = 'text/event-stream; charset=utf-8';
  readonly closing = CLOSING;
  done = false;
  failure: SluiceError | null = null;
  readonly #options: StreamRelayOptions;
  readonly #encoder: ChatCompletionsStreamEncoder;
  readonly #usage = new StreamUsage();
  #model = '';
  /** The last usage event, withheld until it is known to be the last. */
  #usageEvent = '';
  /** Events without content are withheld: if the stream breaks, another target can still take over. */
  #withheld = '';
  #hasContent = false;

  constructor(options: StreamRelayOptions) {
    this.#options = options;
    this.#encoder = new ChatCompletionsStreamEncoder(options.wantsUsage);
  }

  get finishReason(): string | null {
    return this.#usage.finishReason;
  }

  get isComplete(): boolean {
    return this.#usage.finishReason !== null;
  }

  get usage(): TokenUsage | null {
    return this.#usage.current;
  }

  get isUsageEstimated(): boolean {
    return this.#usage.isEstimated;
  }

  get estimatedOutputTokens(): number {
    return this.#usage.estimatedOutputTokens;
  }

  push(): never {
    throw new Error('a stream of parts has no bytes');
  }

  pushParts(parts: readonly StreamPart[]): Buffer | null {
    if (this.done || this.failure) return null;
    const { watch, watched } = this.#options;
    const isWatched = watched();
    let events = '';
    for (const part of parts) {
      events += this.#encode(part);
      if (this.done || this.failure) break;
      const update = isWatched ? partUpdate(part) : null;
      if (update !== null) watch(update);
    }
    return this.#shown(events);
  }

  #encode(part: StreamPart): string {
    if (part.type === 'usage') return this.#encoder.encode(part) + this.#reportUsage(part);
    if (part.type === 'start') this.#model = part.model;
    else if (part.type === 'finish') this.#usage.onFinish(part.reason);
    else if (part.type === 'error') this.failure = reportedError(this.#options.provider, part.error);
    else if (part.type === 'end') this.done = true;
    this.#hasContent ||= hasContent(part);
    return this.#encoder.encode(part);
  }

  /** @returns an event of implausible usage, which is shown as it is; others are withheld */
  #reportUsage({ usage }: UsagePart): string {
    const { wantsUsage, pricing } = this.#options;
    const json = usageObject(usage);
    const reported = servedBy(readChatUsage(json), this.#model, undefined);
    if (reported !== null) this.#usage.onUsage(reported);
    if (!wantsUsage) return '';
    if (reported === null) return this.#encoder.usageEvent(json);
    this.#usageEvent = this.#encoder.usageEvent({ ...json, cost: usdOf(pricing, reported) });
    return '';
  }

  #shown(events: string): Buffer | null {
    const usage = this.#usage;
    usage.events = this.#encoder.eventCount;
    usage.envelopeBytes = this.#encoder.envelopeBytes;
    let shown = events;
    if (this.#usageEvent !== '' && (usage.isFinal || this.done)) {
      shown += this.#usageEvent;
      usage.bytes -= Buffer.byteLength(this.#usageEvent);
      this.#usageEvent = '';
    }
    if (!this.#hasContent) {
      usage.bytes += Buffer.byteLength(shown);
      this.#withheld += shown;
      return null;
    }
    if (this.#withheld !== '') {
      usage.bytes -= Buffer.byteLength(this.#withheld);
      shown = this.#withheld + shown;
      this.#withheld = '';
    }
    if (shown === '') return null;
    const bytes = Buffer.from(shown);
    usage.bytes += bytes.length;
    return bytes;
  }
}

/** Whether a part produces more than the assistant's role. */
function hasContent(part: StreamPart): boolean {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return part.text !== '';
    case 'tool-call':
    case 'tool-input':
    case 'image':
    case 'finish':
    case 'end':
      return true;
    default:
      return false;
  }
}
