import type { StreamPartWriter } from '../canonical/stream-part-writer.ts';
import type { ReasoningDetail } from '../canonical/reasoning-details.ts';
import type { ResponseDecoder } from '../canonical/response-decoder.ts';
import {
  citationOf,
  errorOf,
  finishReason,
  isPaidSearch,
  pictureOf,
  tokenLogprobs,
  usageOf,
} from './response-parts.ts';
import { isObject, membersOf, objectsOf, textIn, type JsonObject } from '../canonical/json-members.ts';
import { reasoningDetails } from './reasoning-items.ts';
import { EmittedItems, type EmittedItem } from './emitted-items.ts';

const BETWEEN_REASONING = '\n\n';

/**
 * Decodes a response of the Responses API. A stream brings each text in pieces and then complete, some servers only one of both:
 * of a complete text, only what its pieces did not contain is written. What the provider's own tools did is passed over; their pictures are
 * part of the answer. Source: OpenAI's API document, Response and ResponseStreamEvent.
 */
export class ResponsesDecoder implements ResponseDecoder {
  ended = false;
  readonly #writer: StreamPartWriter;
  readonly #items = new EmittedItems();
  /** Of items whose successor is not known yet. */
  #reasoning: ReasoningDetail[] = [];
  #reasoned = false;
  #called = false;
  #searches = 0;
  /** In characters. */
  #contentLength = 0;

  constructor(writer: StreamPartWriter) {
    this.#writer = writer;
  }

  document(body: unknown): void {
    if (!isObject(body)) throw new TypeError('the answer is no object');
    this.#end(body, textIn(body, 'status'));
  }

  event(event: unknown): void {
    if (!isObject(event) || this.ended) return;
    const type = textIn(event, 'type');
    switch (type) {
      case 'response.created':
        this.#start(event.response);
        break;
      case 'response.output_item.added':
        if (isObject(event.item)) this.#open(this.#items.begun(event), event.item);
        break;
      case 'response.output_item.done':
        if (isObject(event.item)) this.#completeItem(this.#items.of(event), event.item);
        break;
      case 'response.content_part.done':
        if (isObject(event.part)) this.#contentPart(this.#items.of(event), event.part, partIndex(event.content_index));
        break;
      case 'response.output_text.annotation.added':
        this.#cite(event, event.annotation, partIndex(event.content_index), event.annotation_index);
        break;
      case 'error':
        this.#fail(event.error ?? event);
        break;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        this.#end(membersOf(event.response), type.slice('response.'.length));
        break;
      default:
        this.#piece(type, event);
    }
  }

  /** Events that bring a text: `.delta` a piece of it, `.done` the whole. */
  #piece(type: string, event: JsonObject): void {
    const part = partIndex(event.content_index);
    switch (type) {
      case 'response.output_text.delta':
        this.#text(this.#items.of(event), part, textIn(event, 'delta'), event.logprobs);
        break;
      case 'response.output_text.done':
        this.#completeText(this.#items.of(event), part, event);
        break;
      case 'response.refusal.delta':
        this.#refusal(this.#items.of(event), part, textIn(event, 'delta'));
        break;
      case 'response.refusal.done':
        this.#completeRefusal(this.#items.of(event), part, textIn(event, 'refusal'));
        break;
      case 'response.reasoning_text.delta':
        this.#reason(this.#items.of(event), `reasoning ${part}`, textIn(event, 'delta'));
        break;
      case 'response.reasoning_text.done':
        this.#completeReasoning(this.#items.of(event), `reasoning ${part}`, textIn(event, 'text'));
        break;
      case 'response.reasoning_summary_text.delta':
        this.#reason(this.#items.of(event), `summary ${partIndex(event.summary_index)}`, textIn(event, 'delta'));
        break;
      case 'response.reasoning_summary_text.done':
        this.#completeReasoning(
          this.#items.of(event),
          `summary ${partIndex(event.summary_index)}`,
          textIn(event, 'text'),
        );
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#input(this.#items.of(event), textIn(event, 'delta'));
        break;
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        this.#completeInput(this.#items.of(event), textIn(event, 'arguments') || textIn(event, 'input'));
        break;
      default:
    }
  }

  #start(response: unknown): void {
    if (!isObject(response)) return;
    const { id, model, created_at: created } = response;
    this.#writer.begin({
      id: typeof id === 'string' ? id : undefined,
      model: typeof model === 'string' && model !== '' ? model : undefined,
      created: typeof created === 'number' ? Math.floor(created) : undefined,
    });
  }

  /** An item begins: a call's name is written before its arguments. */
  #open(emitted: EmittedItem, item: JsonObject): void {
    const type = textIn(item, 'type');
    if (type === 'reasoning') return;
    const callId = textIn(item, 'call_id') || textIn(item, 'id');
    const isCall = type === 'function_call' || type === 'custom_tool_call';
    if (isCall && (callId === '' || textIn(item, 'name') === '')) return;
    this.#settleReasoning(isCall ? callId : undefined);
    if (!isCall || emitted.call !== null) return;
    this.#called = true;
    const name = textIn(item, 'name');
    emitted.call =
      type === 'function_call' ? this.#writer.toolCall(callId, name) : this.#writer.customToolCall(callId, name);
  }

  #completeItem(emitted: EmittedItem, item: JsonObject): void {
    if (emitted.closed) return;
    this.#open(emitted, item);
    emitted.closed = true;
    if (isPaidSearch(item)) this.#searches++;
    switch (textIn(item, 'type')) {
      case 'message':
        for (const [index, part] of objectsOf(item.content).entries()) this.#contentPart(emitted, part, index);
        break;
      case 'reasoning':
        for (const [index, part] of objectsOf(item.summary).entries())
          this.#completeReasoning(emitted, `summary ${index}`, textIn(part, 'text'));
        for (const [index, part] of objectsOf(item.content).entries()) this.#contentPart(emitted, part, index);
        for (const detail of reasoningDetails(item)) this.#reasoning.push(detail);
        break;
      case 'function_call':
        this.#completeInput(emitted, textIn(item, 'arguments'));
        break;
      case 'custom_tool_call':
        this.#completeInput(emitted, textIn(item, 'input'));
        break;
      case 'image_generation_call': {
        const picture = pictureOf(item);
        if (picture !== null) this.#writer.image(picture);
        break;
      }
      default:
    }
  }

  #contentPart(emitted: EmittedItem, part: JsonObject, index: number): void {
    switch (textIn(part, 'type')) {
      case 'output_text':
        this.#completeText(emitted, index, part);
        if (Array.isArray(part.annotations))
          for (const [at, annotation] of part.annotations.entries()) this.#citeIn(emitted, annotation, index, at);
        break;
      case 'refusal':
        this.#completeRefusal(emitted, index, textIn(part, 'refusal'));
        break;
      case 'reasoning_text':
        this.#completeReasoning(emitted, `reasoning ${index}`, textIn(part, 'text'));
        break;
      default:
    }
  }

  #text(emitted: EmittedItem, part: number, piece: string, logprobs: unknown): void {
    if (piece === '') return;
    if (emitted.isNew(`text ${part}`)) emitted.starts.set(part, this.#contentLength);
    emitted.add(`text ${part}`, piece);
    this.#contentLength += characters(piece);
    this.#writer.text(piece, 0, tokenLogprobs(logprobs));
  }

  #completeText(emitted: EmittedItem, part: number, complete: JsonObject): void {
    // The log probabilities are the whole text's: they belong to it only where no piece of it came with its own.
    const logprobs = emitted.isNew(`text ${part}`) ? complete.logprobs : undefined;
    this.#text(emitted, part, emitted.rest(`text ${part}`, textIn(complete, 'text')), logprobs);
  }

  #refusal(emitted: EmittedItem, part: number, piece: string): void {
    emitted.add(`refusal ${part}`, piece);
    this.#writer.refusal(piece);
  }

  #completeRefusal(emitted: EmittedItem, part: number, complete: string): void {
    const rest = emitted.rest(`refusal ${part}`, complete);
    if (rest !== '') this.#refusal(emitted, part, rest);
  }

  #reason(emitted: EmittedItem, part: string, piece: string): void {
    if (piece === '') return;
    if (this.#reasoned && emitted.isNew(part)) this.#writer.reasoning(BETWEEN_REASONING);
    this.#reasoned = true;
    emitted.add(part, piece);
    this.#writer.reasoning(piece);
  }

  #completeReasoning(emitted: EmittedItem, part: string, complete: string): void {
    this.#reason(emitted, part, emitted.rest(part, complete));
  }

  #input(emitted: EmittedItem, piece: string): void {
    if (emitted.call === null || piece === '') return;
    emitted.add('input', piece);
    this.#writer.toolArguments(emitted.call, piece);
  }

  #completeInput(emitted: EmittedItem, complete: string): void {
    this.#input(emitted, emitted.rest('input', complete));
  }

  #cite(event: JsonObject, annotation: unknown, part: number, index: unknown): void {
    if (typeof index === 'number') this.#citeIn(this.#items.of(event), annotation, part, index);
  }

  #citeIn(emitted: EmittedItem, annotation: unknown, part: number, index: number): void {
    const citation = citationOf(annotation, emitted.starts.get(part) ?? this.#contentLength);
    if (citation !== null && emitted.cites(`${part}`, index)) this.#writer.citation(citation);
  }

  #settleReasoning(callId: string | undefined): void {
    for (const detail of this.#reasoning)
      this.#writer.reasoningDetail(callId === undefined ? detail : { ...detail, tool_call_id: callId });
    this.#reasoning = [];
  }

  #end(response: JsonObject, defaultStatus: string): void {
    const status = textIn(response, 'status') || defaultStatus;
    this.#start(response);
    if (status === 'failed' || isObject(response.error)) {
      this.#fail(response.error);
      return;
    }
    if (status === 'cancelled') {
      this.#fail({ message: 'The response was cancelled.', code: 'cancelled' });
      return;
    }
    // A document, or a stream without events before its end.
    if (this.#items.size === 0)
      for (const [index, item] of objectsOf(response.output).entries())
        this.#completeItem(this.#items.at(`#${index}`), item);
    this.#settleReasoning(undefined);
    const usage = usageOf(response.usage, this.#searches);
    if (usage !== null) this.#writer.usage(usage);
    this.#writer.finish(finishReason(response, status === 'incomplete', this.#called));
    this.ended = true;
  }

  #fail(error: unknown): void {
    this.ended = true;
    this.#writer.error(errorOf(error));
  }
}

/** Parts are counted from 0. */
function partIndex(index: unknown): number {
  return typeof index === 'number' ? index : 0;
}

/** As citations count them: a surrogate pair is one. */
function characters(piece: string): number {
  let pairs = 0;
  for (let at = 0; at < piece.length; at++) if ((piece.charCodeAt(at) & 0xfc00) === 0xd800) pairs++;
  return piece.length - pairs;
}
