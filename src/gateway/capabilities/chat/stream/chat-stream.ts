import { SluiceError } from '../../../../errors/index.ts';
import { DONE_EVENT } from '../../../../protocols/chat-completions/encode-stream.ts';
import {
  eventData,
  eventEnd,
  firstErrorOrEnd,
  fromFirstEvent,
  transformEach,
  transformMatching,
  type TransformEvent,
  jsonStyleOf,
  lastFinishReason,
  type JsonStyle,
} from '../../../../protocols/chat-completions/event-text.ts';
import { usdOf, type StreamRelay, type StreamRelayOptions } from '../../capability.ts';
import { isRecord, readChatUsage, servedBy } from '../chat-usage.ts';
import { chunkUpdates } from '../chat-updates.ts';
import { reportedError } from '../reported-error.ts';
import { SseBlocks, parseChunk, LeadingEvents } from './sse-blocks.ts';
import { DeltaSuffixMatcher } from './delta-suffix-matcher.ts';
import { ObservedStream, type StreamUsage } from './observed-stream.ts';
import { inPlace, type ShownEvents } from './shown-events.ts';

const CLOSING = Buffer.from(DONE_EVENT);
const USAGE_MARK = 'usage"';

/**
 * Relays OpenAI's chat stream. Events are forwarded byte for byte; only their usage is removed, for a client that did
 * not request it, or extended by its cost. Text is handled as Latin-1, one character per byte: all patterns are ASCII,
 * so that UTF-8 passes unchanged. Source: OpenAI's API document, chat completion chunks.
 */
export class ChatStream extends ObservedStream implements StreamRelay {
  readonly closing = CLOSING;
  readonly #options: StreamRelayOptions;
  readonly #blocks = new SseBlocks();
  /** Allocated once per stream, not per block. */
  readonly #transform: TransformEvent = (event) => this.#relayEvent(event);
  #jsonStyle: JsonStyle | null = null;
  #suffixMatcher: DeltaSuffixMatcher | null = null;
  readonly #leadingEvents = new LeadingEvents();
  /** The last event with only usage, withheld until it is known to be the last. */
  #usageEvent = '';

  constructor(options: StreamRelayOptions, observed?: StreamUsage) {
    super(observed);
    this.#options = options;
  }

  push(bytes: Buffer): Buffer | null {
    if (this.done || this.failure) return null;
    try {
      const block = this.#blocks.push(bytes);
      return block === null ? null : this.#relay(block);
    } catch (error) {
      this.failure = this.#invalidResponse(error);
      return null;
    }
  }

  #relay(received: Buffer): Buffer | null {
    let block = received;
    let text = block.toString('latin1');
    if (text.includes('\r\n')) {
      text = text.replaceAll('\r\n', '\n');
      block = Buffer.from(text, 'latin1');
    }
    if (this.observed.envelopeBytes === 0) {
      // Keep-alive comments do not start a response: an error may still follow as one.
      text = fromFirstEvent(text);
      block = block.subarray(block.length - text.length);
      this.#readFirstEvent(text);
      if (this.observed.envelopeBytes === 0) return null;
    }
    const { bytes, events } = this.#transformBlock(block, text);
    this.observed.events += events;
    this.observed.bytes += bytes.length;
    const shown = this.#leadingEvents.push(this.#withUsageEvent(bytes), this.done);
    return shown === null || shown.length === 0 ? null : shown;
  }

  #transformBlock(block: Buffer, text: string): ShownEvents {
    if (this.#jsonStyle === null || this.#options.watched())
      return inPlace(block, text, transformEach(text, this.#transform));
    if (this.#suffixMatcher?.isUseful) return this.#suffixMatcher.relay(block, text, this.#transform);
    return inPlace(block, text, this.#relayObserved(text, this.#jsonStyle));
  }

  #withUsageEvent(bytes: Buffer): Buffer {
    const event = this.#usageEvent;
    if (event === '' || !(this.observed.isFinal || this.done)) return bytes;
    this.#usageEvent = '';
    return Buffer.concat([bytes, Buffer.from(event, 'latin1')]);
  }

  /** The first event shows the JSON style and the length of an event with almost no content. */
  #readFirstEvent(text: string): void {
    const event = text.slice(0, eventEnd(text, 0));
    const data = eventData(event);
    if (data === null) return;
    this.#jsonStyle = jsonStyleOf(data);
    this.observed.envelopeBytes = data.length;
    if (this.#jsonStyle === null) return;
    const hidden = this.#options.wantsUsage ? '' : this.#jsonStyle.usageNull;
    this.#suffixMatcher = DeltaSuffixMatcher.of(event, this.#jsonStyle.noFinishReason, hidden);
  }

  /** Parses only events with more than text; all others are forwarded unparsed. */
  #relayObserved(text: string, wording: JsonStyle): string {
    const last = firstErrorOrEnd(text);
    if (last < 0) return this.#withUsageTransformed(text, wording);
    return this.#withUsageTransformed(text.slice(0, last), wording) + transformEach(text.slice(last), this.#transform);
  }

  #withUsageTransformed(text: string, wording: JsonStyle): string {
    const reason = lastFinishReason(text, wording);
    if (reason !== null) this.observed.onFinish(reason);
    if (!text.includes(USAGE_MARK)) return text;
    const shown = this.#options.wantsUsage ? text : text.replaceAll(wording.usageNull, '');
    const before = this.observed.reported;
    const transformed = transformMatching(shown, this.#transform, wording.usageObject, wording.usageMark);
    // Events are transformed out of order here: a finish reason may follow the usage.
    const usageEnd = eventEnd(text, text.lastIndexOf(wording.usageObject));
    if (this.observed.reported !== before && text.includes(wording.finishReason, usageEnd))
      this.observed.isFinal = false;
    return transformed;
  }

  /** Parses one event. @returns the event for the client, itself where nothing changed; null at the end */
  #relayEvent(event: string): string | null {
    const data = eventData(event);
    if (data === null) return event;
    if (data === '[DONE]') {
      this.done = true;
      return null;
    }
    const chunk = parseChunk(data);
    if (!isRecord(chunk)) {
      this.failure = this.#invalidResponse(new SyntaxError('an event holds no JSON object'));
      return null;
    }
    if (chunk.error) {
      this.failure = reportedError(this.#options.provider, chunk.error);
      return null;
    }
    const choices: unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
    for (const choice of choices)
      if (isRecord(choice) && typeof choice.finish_reason === 'string') this.observed.onFinish(choice.finish_reason);
    if (this.#options.watched()) for (const update of chunkUpdates(chunk)) this.#options.watch(update);
    return 'usage' in chunk ? this.#withUsage(event, chunk, choices.length === 0) : event;
  }

  #withUsage(event: string, chunk: Record<string, unknown>, usageAlone: boolean): string {
    const reported = servedBy(readChatUsage(chunk.usage), chunk.model, chunk.service_tier);
    if (reported) this.observed.onUsage(reported);
    if (this.#options.wantsUsage) {
      if (!reported || !isRecord(chunk.usage)) return event;
      const cost = usdOf(this.#options.pricing, reported);
      const priced = `data: ${asLatin1({ ...chunk, usage: { ...chunk.usage, cost } })}\n\n`;
      if (!usageAlone) return priced;
      this.#usageEvent = priced;
    }
    if (usageAlone) return '';
    const { usage: _hidden, ...rest } = chunk;
    return `data: ${asLatin1(rest)}\n\n`;
  }

  #invalidResponse(cause: unknown): SluiceError {
    return new SluiceError('provider_invalid_response', { values: { provider: this.#options.provider }, cause });
  }
}

function asLatin1(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('latin1');
}
