import { SluiceError } from '../../../errors/index.ts';
import { usdOf, type StreamRelay, type StreamRelayOptions, type TokenUsage } from '../capability.ts';
import { isRecord, readChatUsage, readFinishReason, servedBy } from './chat-usage.ts';
import { chunkUpdates } from './chat-updates.ts';
import { reportedError } from './reported-error.ts';
import { SseBlocks } from './sse-blocks.ts';
import { DeltaSuffixMatcher, type ShownEvents } from './delta-suffix-matcher.ts';
import { parseAnswer } from '../../../providers/shared/json-complexity.ts';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';
const DONE_EVENT = 'data: [DONE]\n\n';
const CLOSING = Buffer.from(DONE_EVENT);
const BYTES_PER_TOKEN = 4;

/** How a provider writes JSON: what is looked for in its events without parsing each. Null: parse each. */
interface Wording {
  readonly usageNull: string;
  readonly usageObject: string;
  readonly finishReason: string;
  readonly noFinishReason: string;
  /** A part of each of the two above that is quickly found. */
  readonly usageMark: string;
  readonly finishMark: string;
}

const COMPACT: Wording = {
  usageNull: ',"usage":null',
  usageObject: '"usage":{',
  finishReason: '"finish_reason":"',
  noFinishReason: '"finish_reason":null',
  usageMark: 'ge":{"',
  finishMark: 'son":"',
};
const SPACED: Wording = {
  usageNull: ', "usage": null',
  usageObject: '"usage": {',
  finishReason: '"finish_reason": "',
  noFinishReason: '"finish_reason": null',
  usageMark: 'e": {"',
  finishMark: 'n": "',
};
const [USAGE_MARK, ERROR_MARK, DONE_MARK] = ['usage"', 'rror":', 'DONE]'];

/** What becomes of an event; null where nothing more is to be shown. */
type Treat = (event: string) => string | null;

/**
 * OpenAI's chat stream, relayed. An event goes on byte for byte; only its usage may be hidden from a caller that did not ask for
 * it, or given its cost. Text is handled as Latin-1, one character a byte: nothing outside ASCII is looked for, so UTF-8 passes whole.
 * Source: OpenAI's API document, chat completion chunks.
 */
export class ChatStream implements StreamRelay {
  readonly contentType = EVENT_STREAM;
  finishReason: string | null = null;
  done = false;
  failure: SluiceError | null = null;
  readonly closing = CLOSING;
  readonly #options: StreamRelayOptions;
  readonly #blocks = new SseBlocks();
  /** Made once a stream, not once a block. */
  readonly #treat: Treat = (event) => this.#relayEvent(event);
  #wording: Wording | null = null;
  #suffixMatcher: DeltaSuffixMatcher | null = null;
  #toldUsage: TokenUsage | null = null;
  /** It was told behind the finish: nothing is produced after it. */
  #isUsageWhole = false;
  /** The last event that held nothing but usage, until it is known to be the last. */
  #usageEvent = '';
  #said = false;
  #held: Buffer | null = null;
  #envelope = 0;
  #events = 0;
  #bytes = 0;

  constructor(options: StreamRelayOptions) {
    this.#options = options;
  }

  /** It said why it finished. */
  get isComplete(): boolean {
    return this.finishReason !== null;
  }

  get usage(): TokenUsage | null {
    const told = this.#toldUsage;
    if (told === null || !this.isUsageEstimated) return told;
    return { ...told, outputTokens: this.estimatedOutputTokens };
  }

  get isUsageEstimated(): boolean {
    const told = this.#toldUsage;
    return told === null || (!this.#isUsageWhole && told.outputTokens < this.estimatedOutputTokens);
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
      this.failure = this.#unintelligible(error);
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
      // Comments that keep a connection alive are no beginning of an answer: an error may still come as one.
      text = fromFirstEvent(text);
      block = block.subarray(block.length - text.length);
      this.#meetFirstEvent(text);
      if (this.#envelope === 0) return null;
    }
    const { bytes, events } = this.#treatBlock(block, text);
    this.#events += events;
    this.#bytes += bytes.length;
    const shown = this.#heldBack(this.#withUsageEvent(bytes));
    return shown === null || shown.length === 0 ? null : shown;
  }

  #treatBlock(block: Buffer, text: string): ShownEvents {
    if (this.#wording === null || this.#options.watched()) return inPlace(block, text, treatEach(text, this.#treat));
    if (this.#suffixMatcher?.holds) return this.#suffixMatcher.relay(block, text, this.#treat);
    return inPlace(block, text, this.#relayObserved(text, this.#wording));
  }

  #withUsageEvent(bytes: Buffer): Buffer {
    const event = this.#usageEvent;
    if (event === '' || !(this.#isUsageWhole || this.done)) return bytes;
    this.#usageEvent = '';
    return Buffer.concat([bytes, Buffer.from(event, 'latin1')]);
  }

  /** What says nothing yet is held back: should the provider break off, another can still take over. */
  #heldBack(bytes: Buffer): Buffer | null {
    if (this.#said) return bytes;
    const all = this.#held === null ? bytes : Buffer.concat([this.#held, bytes]);
    this.#said = this.done || saysSomething(all);
    // A copy: a view would keep the socket's whole read buffer alive.
    this.#held = this.#said ? null : Buffer.from(all);
    return this.#said ? all : null;
  }

  /** The first event shows how the provider writes, and how long an event is that says next to nothing. */
  #meetFirstEvent(text: string): void {
    const event = text.slice(0, eventEnd(text, 0));
    const data = eventData(event);
    if (data === null) return;
    if (data.includes('"choices":[')) this.#wording = COMPACT;
    else if (data.includes('"choices": [')) this.#wording = SPACED;
    this.#envelope = data.length;
    if (this.#wording === null) return;
    const hidden = this.#options.wantsUsage ? '' : this.#wording.usageNull;
    this.#suffixMatcher = DeltaSuffixMatcher.of(event, this.#wording.noFinishReason, hidden);
  }

  #finish(reason: string): void {
    this.finishReason = readFinishReason(reason) ?? this.finishReason;
    this.#isUsageWhole = false;
  }

  #noteFinish(text: string, wording: string): void {
    const found = text.lastIndexOf(wording);
    const start = found + wording.length;
    if (found >= 0) this.#finish(text.slice(start, text.indexOf('"', start)));
  }

  /** Looks for the few events that say more than text; all others go on unread. */
  #relayObserved(text: string, wording: Wording): string {
    const last = firstLastEvent(text);
    if (last < 0) return this.#searched(text, wording);
    return this.#searched(text.slice(0, last), wording) + treatEach(text.slice(last), this.#treat);
  }

  #searched(text: string, wording: Wording): string {
    if (text.includes(wording.finishMark)) this.#noteFinish(text, wording.finishReason);
    if (!text.includes(USAGE_MARK)) return text;
    const shown = this.#options.wantsUsage ? text : text.replaceAll(wording.usageNull, '');
    const before = this.#toldUsage;
    const treated = treatEvents(shown, this.#treat, wording.usageObject, wording.usageMark);
    // Events are treated out of their order here: a finish may stand behind the usage.
    const usageEnd = eventEnd(text, text.lastIndexOf(wording.usageObject));
    if (this.#toldUsage !== before && text.includes(wording.finishReason, usageEnd)) this.#isUsageWhole = false;
    return treated;
  }

  /** One event, parsed. @returns what goes to the caller: the event itself where nothing in it had to change; null at the end */
  #relayEvent(event: string): string | null {
    const data = eventData(event);
    if (data === null) return event;
    if (data === '[DONE]') {
      this.done = true;
      return null;
    }
    const chunk = parseJson(data);
    if (!isRecord(chunk)) {
      this.failure = this.#unintelligible(new SyntaxError('an event holds no JSON object'));
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
      this.#toldUsage = reported;
      this.#isUsageWhole = this.finishReason !== null;
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

  #unintelligible(cause: unknown): SluiceError {
    return new SluiceError('provider_invalid_response', { values: { provider: this.#options.provider }, cause });
  }
}

/** What became of a block's text: in place where it fits, since memory outside the heap is dear to make and to free. */
function inPlace(block: Buffer, text: string, shown: string): ShownEvents {
  let events = 0;
  for (let at = shown.indexOf('\n\n'); at >= 0; at = shown.indexOf('\n\n', at + 2)) events++;
  if (shown === text) return { bytes: block, events };
  if (shown.length > block.length) return { bytes: Buffer.from(shown, 'latin1'), events };
  return { bytes: block.subarray(0, block.write(shown, 'latin1')), events };
}

/** Whether any event brings more than the role of who will speak. */
function saysSomething(events: Buffer): boolean {
  for (let start = 0; start < events.length;) {
    const blank = events.indexOf('\n\n', start);
    const end = blank < 0 ? events.length : blank + 2;
    const data = eventData(events.toString('latin1', start, end));
    if (data !== null && !isOpening(parseJson(data))) return true;
    start = end;
  }
  return false;
}

function isOpening(chunk: unknown): boolean {
  if (!isRecord(chunk) || !Array.isArray(chunk.choices)) return false;
  return chunk.choices.every((choice) => {
    if (!isRecord(choice) || !isRecord(choice.delta) || choice.finish_reason) return false;
    return Object.entries(choice.delta).every(([name, value]) => name === 'role' || value === '' || value === null);
  });
}

/** Without what stands before the first data. */
function fromFirstEvent(text: string): string {
  for (let start = 0; start < text.length;) {
    const end = eventEnd(text, start);
    if (eventData(text.slice(start, end)) !== null) return text.slice(start);
    start = end;
  }
  return '';
}

/** Behind the blank line that ends the event; where only line feeds are left, behind those. */
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
 * Passes each event that holds `sought` through `treat`; runs of others are copied whole. `mark` is a part of `sought`, and looked
 * for first: up to six characters are found by their first, a word of memory at a time; for more, V8 builds tables, and is ten
 * times slower where each event holds almost what is looked for.
 */
function treatEvents(text: string, treat: Treat, sought: string, mark: string): string {
  const marked = text.indexOf(mark);
  if (marked < 0) return text;
  let treated = '';
  let copied = 0;
  for (let found = text.indexOf(sought, marked - sought.length); found >= 0;) {
    const before = text.lastIndexOf('\n\n', found);
    const start = before < copied ? copied : before + 2;
    const end = eventEnd(text, found);
    treated += text.slice(copied, start) + (treat(text.slice(start, end)) ?? '');
    copied = end;
    found = text.indexOf(sought, end);
  }
  return copied === 0 ? text : treated + text.slice(copied);
}

/** Passes every event through `treat`. */
function treatEach(text: string, treat: Treat): string {
  let shown = '';
  for (let start = 0; start < text.length;) {
    const end = eventEnd(text, start);
    const treated = treat(text.slice(start, end));
    if (treated === null) return shown;
    shown += treated;
    start = end;
  }
  return shown;
}

/** Where the first event begins that may be an error or the end mark; -1 where there is none. */
function firstLastEvent(text: string): number {
  const error = text.indexOf(ERROR_MARK);
  const done = text.indexOf(DONE_MARK);
  const first = error < 0 || (done >= 0 && done < error) ? done : error;
  return first < 0 ? -1 : eventStart(text, first);
}

function eventStart(text: string, within: number): number {
  const blank = text.lastIndexOf('\n\n', within);
  return blank < 0 ? 0 : blank + 2;
}

/** Text here is Latin-1 over UTF-8 bytes: turned into real text to be parsed. */
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
