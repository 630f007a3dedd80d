import { SluiceError } from '../../../errors/index.ts';
import { usdOf, type StreamRelay, type StreamRelayOptions, type TokenUsage } from '../capability.ts';
import { isRecord, readChatUsage, readFinishReason, servedBy } from './chat-usage.ts';
import { chunkUpdates } from './chat-updates.ts';
import { reportedError } from './reported-error.ts';
import { SseBlocks } from './sse-blocks.ts';
import { DeltaSuffixMatcher, type ShownEvents } from './delta-suffix-matcher.ts';
import { parseAnswer } from '../../../providers/shared/json/json-complexity.ts';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';
const DONE_EVENT = 'data: [DONE]\n\n';
const CLOSING = Buffer.from(DONE_EVENT);
const BYTES_PER_TOKEN = 4;

/**
 * How a provider formats JSON: strings that are searched for, instead of parsing each event. Null: parse each event.
 */
interface JsonStyle {
  readonly usageNull: string;
  readonly usageObject: string;
  readonly finishReason: string;
  readonly noFinishReason: string;
  /** A short part of each of the two, for a faster search. */
  readonly usageMark: string;
  readonly finishMark: string;
}

const COMPACT: JsonStyle = {
  usageNull: ',"usage":null',
  usageObject: '"usage":{',
  finishReason: '"finish_reason":"',
  noFinishReason: '"finish_reason":null',
  usageMark: 'ge":{"',
  finishMark: 'son":"',
};
const SPACED: JsonStyle = {
  usageNull: ', "usage": null',
  usageObject: '"usage": {',
  finishReason: '"finish_reason": "',
  noFinishReason: '"finish_reason": null',
  usageMark: 'e": {"',
  finishMark: 'n": "',
};
const [USAGE_MARK, ERROR_MARK, DONE_MARK] = ['usage"', 'rror":', 'DONE]'];

/** Returns the event to send; null ends the output. */
type TransformEvent = (event: string) => string | null;

/**
 * Relays OpenAI's chat stream. Events are forwarded byte for byte; only their usage is removed, for a client that did
 * not request it, or extended by its cost. Text is handled as Latin-1, one character per byte: all patterns are ASCII,
 * so that UTF-8 passes unchanged. Source: OpenAI's API document, chat completion chunks.
 */
export class ChatStream implements StreamRelay {
  readonly contentType = EVENT_STREAM;
  finishReason: string | null = null;
  done = false;
  failure: SluiceError | null = null;
  readonly closing = CLOSING;
  readonly #options: StreamRelayOptions;
  readonly #blocks = new SseBlocks();
  /** Allocated once per stream, not per block. */
  readonly #transform: TransformEvent = (event) => this.#relayEvent(event);
  #jsonStyle: JsonStyle | null = null;
  #suffixMatcher: DeltaSuffixMatcher | null = null;
  #reportedUsage: TokenUsage | null = null;
  /** Whether usage was reported after the finish reason, after which nothing is produced. */
  #isUsageFinal = false;
  /** The last event with only usage, withheld until it is known to be the last. */
  #usageEvent = '';
  #hasContent = false;
  #pending: Buffer | null = null;
  #envelope = 0;
  #events = 0;
  #bytes = 0;

  constructor(options: StreamRelayOptions) {
    this.#options = options;
  }

  /** Whether a finish reason was reported. */
  get isComplete(): boolean {
    return this.finishReason !== null;
  }

  get usage(): TokenUsage | null {
    const reported = this.#reportedUsage;
    if (reported === null || !this.isUsageEstimated) return reported;
    return { ...reported, outputTokens: this.estimatedOutputTokens };
  }

  get isUsageEstimated(): boolean {
    const reported = this.#reportedUsage;
    return reported === null || (!this.#isUsageFinal && reported.outputTokens < this.estimatedOutputTokens);
  }

  get estimatedOutputTokens(): number {
    const content = this.#bytes - this.#events * this.#envelope;
    return Math.max(this.#events, Math.ceil(content / BYTES_PER_TOKEN));
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
    if (this.#envelope === 0) {
      // Keep-alive comments do not start a response: an error may still follow as one.
      text = fromFirstEvent(text);
      block = block.subarray(block.length - text.length);
      this.#readFirstEvent(text);
      if (this.#envelope === 0) return null;
    }
    const { bytes, events } = this.#transformBlock(block, text);
    this.#events += events;
    this.#bytes += bytes.length;
    const shown = this.#withoutLeadingEvents(this.#withUsageEvent(bytes));
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
    if (event === '' || !(this.#isUsageFinal || this.done)) return bytes;
    this.#usageEvent = '';
    return Buffer.concat([bytes, Buffer.from(event, 'latin1')]);
  }

  /** Events without content are withheld: if the stream breaks, another target can still take over. */
  #withoutLeadingEvents(bytes: Buffer): Buffer | null {
    if (this.#hasContent) return bytes;
    const all = this.#pending === null ? bytes : Buffer.concat([this.#pending, bytes]);
    this.#hasContent = this.done || hasContent(all);
    // A copy: a view would retain the socket's entire read buffer.
    this.#pending = this.#hasContent ? null : Buffer.from(all);
    return this.#hasContent ? all : null;
  }

  /** The first event shows the JSON style and the length of an event with almost no content. */
  #readFirstEvent(text: string): void {
    const event = text.slice(0, eventEnd(text, 0));
    const data = eventData(event);
    if (data === null) return;
    if (data.includes('"choices":[')) this.#jsonStyle = COMPACT;
    else if (data.includes('"choices": [')) this.#jsonStyle = SPACED;
    this.#envelope = data.length;
    if (this.#jsonStyle === null) return;
    const hidden = this.#options.wantsUsage ? '' : this.#jsonStyle.usageNull;
    this.#suffixMatcher = DeltaSuffixMatcher.of(event, this.#jsonStyle.noFinishReason, hidden);
  }

  #finish(reason: string): void {
    this.finishReason = readFinishReason(reason) ?? this.finishReason;
    this.#isUsageFinal = false;
  }

  #readFinish(text: string, wording: string): void {
    const found = text.lastIndexOf(wording);
    const start = found + wording.length;
    if (found >= 0) this.#finish(text.slice(start, text.indexOf('"', start)));
  }

  /** Parses only events with more than text; all others are forwarded unparsed. */
  #relayObserved(text: string, wording: JsonStyle): string {
    const last = firstErrorOrEnd(text);
    if (last < 0) return this.#withUsageTransformed(text, wording);
    return this.#withUsageTransformed(text.slice(0, last), wording) + transformEach(text.slice(last), this.#transform);
  }

  #withUsageTransformed(text: string, wording: JsonStyle): string {
    if (text.includes(wording.finishMark)) this.#readFinish(text, wording.finishReason);
    if (!text.includes(USAGE_MARK)) return text;
    const shown = this.#options.wantsUsage ? text : text.replaceAll(wording.usageNull, '');
    const before = this.#reportedUsage;
    const transformed = transformMatching(shown, this.#transform, wording.usageObject, wording.usageMark);
    // Events are transformed out of order here: a finish reason may follow the usage.
    const usageEnd = eventEnd(text, text.lastIndexOf(wording.usageObject));
    if (this.#reportedUsage !== before && text.includes(wording.finishReason, usageEnd)) this.#isUsageFinal = false;
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
    const chunk = parseJson(data);
    if (!isRecord(chunk)) {
      this.failure = this.#invalidResponse(new SyntaxError('an event holds no JSON object'));
      return null;
    }
    if (chunk.error) {
      this.failure = this.#reported(chunk.error);
      return null;
    }
    const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
    for (const choice of choices)
      if (isRecord(choice) && typeof choice.finish_reason === 'string') this.#finish(choice.finish_reason);
    if (this.#options.watched()) for (const update of chunkUpdates(chunk)) this.#options.watch(update);
    return 'usage' in chunk ? this.#withUsage(event, chunk, choices.length === 0) : event;
  }

  #withUsage(event: string, chunk: Record<string, unknown>, usageAlone: boolean): string {
    const reported = servedBy(readChatUsage(chunk.usage), chunk.model, chunk.service_tier);
    if (reported) {
      this.#reportedUsage = reported;
      this.#isUsageFinal = this.finishReason !== null;
    }
    if (this.#options.wantsUsage) {
      if (!reported || !isRecord(chunk.usage)) return event;
      const cost = usdOf(this.#options.pricing, reported);
      const priced = `data: ${asLatin1({ ...chunk, usage: { ...chunk.usage, cost } })}\n\n`;
      if (!usageAlone) return priced;
      this.#usageEvent = priced;
      return '';
    }
    if (usageAlone) return '';
    const { usage: _hidden, ...rest } = chunk;
    return `data: ${asLatin1(rest)}\n\n`;
  }

  #reported(error: unknown): SluiceError {
    return reportedError(this.#options.provider, error);
  }

  #invalidResponse(cause: unknown): SluiceError {
    return new SluiceError('provider_invalid_response', { values: { provider: this.#options.provider }, cause });
  }
}

/**
 * The output of a block. Written in place where it fits, because memory outside the heap is expensive to allocate and
 * free.
 */
function inPlace(block: Buffer, text: string, shown: string): ShownEvents {
  let events = 0;
  for (let at = shown.indexOf('\n\n'); at >= 0; at = shown.indexOf('\n\n', at + 2)) events++;
  if (shown === text) return { bytes: block, events };
  if (shown.length > block.length) return { bytes: Buffer.from(shown, 'latin1'), events };
  return { bytes: block.subarray(0, block.write(shown, 'latin1')), events };
}

/** Whether any event contains more than the assistant's role. */
function hasContent(events: Buffer): boolean {
  for (let start = 0; start < events.length;) {
    const blank = events.indexOf('\n\n', start);
    const end = blank < 0 ? events.length : blank + 2;
    const data = eventData(events.toString('latin1', start, end));
    if (data !== null && !isEmptyChunk(parseJson(data))) return true;
    start = end;
  }
  return false;
}

function isEmptyChunk(chunk: unknown): boolean {
  if (!isRecord(chunk) || !Array.isArray(chunk.choices)) return false;
  return chunk.choices.every((choice) => {
    if (!isRecord(choice) || !isRecord(choice.delta) || choice.finish_reason) return false;
    return Object.entries(choice.delta).every(([name, value]) => name === 'role' || value === '' || value === null);
  });
}

/** Removes everything before the first event with data. */
function fromFirstEvent(text: string): string {
  for (let start = 0; start < text.length;) {
    const end = eventEnd(text, start);
    if (eventData(text.slice(start, end)) !== null) return text.slice(start);
    start = end;
  }
  return '';
}

/** The offset after the blank line that ends the event; after the trailing line feeds where only those follow. */
function eventEnd(text: string, from: number): number {
  const blank = text.indexOf('\n\n', from);
  return blank < 0 ? text.length : blank + 2;
}

/** The joined `data` lines of one event; null for an event that has none. */
export function eventData(event: string): string | null {
  if (event.startsWith('data: ') && event.indexOf('\n') === event.length - 2) return event.slice(6, -2);
  const lines = event.split('\n').filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? null : lines.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n');
}

/**
 * Passes each event that contains `pattern` to `transform` and copies all others in runs. `mark` is a part of `pattern` and
 * searched for first: V8 finds up to six characters by their first, a machine word at a time. For longer patterns it
 * builds tables, which is ten times slower where each event almost matches.
 */
function transformMatching(text: string, transform: TransformEvent, pattern: string, mark: string): string {
  const marked = text.indexOf(mark);
  if (marked < 0) return text;
  let transformed = '';
  let copied = 0;
  for (let found = text.indexOf(pattern, marked - pattern.length); found >= 0;) {
    const before = text.lastIndexOf('\n\n', found);
    const start = before < copied ? copied : before + 2;
    const end = eventEnd(text, found);
    transformed += text.slice(copied, start) + (transform(text.slice(start, end)) ?? '');
    copied = end;
    found = text.indexOf(pattern, end);
  }
  return copied === 0 ? text : transformed + text.slice(copied);
}

/** Passes every event to `transform`. */
function transformEach(text: string, transform: TransformEvent): string {
  let shown = '';
  for (let start = 0; start < text.length;) {
    const end = eventEnd(text, start);
    const transformed = transform(text.slice(start, end));
    if (transformed === null) return shown;
    shown += transformed;
    start = end;
  }
  return shown;
}

/** The start of the first event that may be an error or the end mark; -1 for none. */
function firstErrorOrEnd(text: string): number {
  const error = text.indexOf(ERROR_MARK);
  const done = text.indexOf(DONE_MARK);
  const first = error < 0 || (done >= 0 && done < error) ? done : error;
  return first < 0 ? -1 : eventStart(text, first);
}

function eventStart(text: string, within: number): number {
  const blank = text.lastIndexOf('\n\n', within);
  return blank < 0 ? 0 : blank + 2;
}

/** Text is Latin-1 over UTF-8 bytes and is decoded before parsing. */
function parseJson(data: string): unknown {
  try {
    return parseAnswer(Buffer.from(data, 'latin1'));
  } catch {
    return undefined;
  }
}

function asLatin1(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('latin1');
}
