import type { StreamPartWriter } from '../canonical/stream-part-writer.ts';
import type { ReasoningDetail } from '../canonical/reasoning-details.ts';
import type { ResponseDecoder } from '../canonical/response-decoder.ts';
import { errorOf, finishReason, hostedCalls, imageOf, usageOf } from './response-parts.ts';
import { isObject, membersOf, objectsOf, textIn, type JsonObject } from '../canonical/json-members.ts';
import { reasoningDetails } from './reasoning-items.ts';
import { ItemTextWriter, partIndex } from './item-text-writer.ts';
import { EmittedItems, type EmittedItem } from './emitted-items.ts';

/**
 * Decodes a response of the Responses API. A stream contains each text in deltas and then complete, with some servers
 * only one of both: of a complete text, only the part that is not written yet is written. Calls of the provider's
 * built-in tools are omitted; their images are part of the response. Source: OpenAI's API document, Response and
 * ResponseStreamEvent.
 */
export class ResponsesDecoder implements ResponseDecoder {
  ended = false;
  readonly #writer: StreamPartWriter;
  readonly #items = new EmittedItems();
  readonly #texts: ItemTextWriter;
  /** Of items whose following item is not known yet. */
  #reasoning: ReasoningDetail[] = [];
  #called = false;
  /** Of complete items, what says which hosted tools were called. */
  readonly #calls: JsonObject[] = [];

  constructor(writer: StreamPartWriter) {
    this.#writer = writer;
    this.#texts = new ItemTextWriter(writer, this.#items);
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
        if (isObject(event.item)) this.#open(this.#items.start(event), event.item);
        break;
      case 'response.output_item.done':
        if (isObject(event.item)) this.#completeItem(this.#items.of(event), event.item);
        break;
      case 'response.content_part.done':
        if (isObject(event.part))
          this.#texts.contentPart(this.#items.of(event), event.part, partIndex(event.content_index));
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
        this.#texts.event(type, event);
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

  /** The start of an item: a call's name is written before its arguments. */
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
    this.#calls.push({ type: item.type, action: item.action });
    switch (textIn(item, 'type')) {
      case 'message':
        for (const [index, part] of objectsOf(item.content).entries()) this.#texts.contentPart(emitted, part, index);
        break;
      case 'reasoning':
        for (const [index, part] of objectsOf(item.summary).entries())
          this.#texts.completeReasoning(emitted, `summary ${index}`, textIn(part, 'text'));
        for (const [index, part] of objectsOf(item.content).entries()) this.#texts.contentPart(emitted, part, index);
        for (const detail of reasoningDetails(item)) this.#reasoning.push(detail);
        break;
      case 'function_call':
        this.#texts.completeInput(emitted, textIn(item, 'arguments'));
        break;
      case 'custom_tool_call':
        this.#texts.completeInput(emitted, textIn(item, 'input'));
        break;
      case 'image_generation_call': {
        const image = imageOf(item);
        if (image !== null) this.#writer.image(image);
        break;
      }
      default:
    }
  }

  #cite(event: JsonObject, annotation: unknown, part: number, index: unknown): void {
    if (typeof index === 'number') this.#texts.citeIn(this.#items.of(event), annotation, part, index);
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
    const usage = usageOf(response.usage, hostedCalls(this.#calls));
    if (usage !== null) this.#writer.usage(usage);
    this.#writer.finish(finishReason(response, status === 'incomplete', this.#called));
    this.ended = true;
  }

  #fail(error: unknown): void {
    this.ended = true;
    this.#writer.error(errorOf(error));
  }
}
