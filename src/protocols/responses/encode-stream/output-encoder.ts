import type { JsonObject } from '../../canonical/json-members.ts';
import type { ContentSeal } from '../encrypted-content/content-seal.ts';
import type { EmitEvent, ItemStatus, NameItem, ResponseOutput } from './response-output.ts';
import type { ReasoningDetailPart, StreamPart, ToolCallPart, UrlCitation } from '../../canonical/stream-part.ts';
import { closeCall, extendCall, newCall, type CalledTools, type CallItem } from './call-item.ts';
import {
  itemObject,
  logprobObject,
  partObject,
  type ContentPart,
  type MessageItem,
  type OutputItem,
  type ReasoningItem,
} from './output-items.ts';

/**
 * Encodes the output of a response from its parts, and emits its events. Items are completed with the response: citations
 * and reasoning signatures arrive at its end. Source: OpenAI's API document, OutputItem and ResponseStreamEvent.
 */
export class OutputEncoder implements ResponseOutput {
  readonly failure = null;
  readonly #items: OutputItem[] = [];
  readonly #calls: CallItem[] = [];
  readonly #nameItem: NameItem;
  readonly #emit: EmitEvent;
  readonly #tools: CalledTools;
  readonly #seal: ContentSeal;

  constructor(
    nameItem: NameItem,
    emit: EmitEvent,
    { tools, seal }: { readonly tools: CalledTools; readonly seal: ContentSeal },
  ) {
    this.#nameItem = nameItem;
    this.#emit = emit;
    this.#tools = tools;
    this.#seal = seal;
  }

  /** Parts without output are ignored. */
  add(part: StreamPart): void {
    switch (part.type) {
      case 'text':
        return this.#addText('output_text', part.text, part.logprobs.map(logprobObject));
      case 'refusal':
        return this.#addText('refusal', part.text, []);
      case 'reasoning':
        return this.#addReasoning(part.text);
      case 'reasoning-detail':
        return this.#addReasoningDetail(part.detail);
      case 'tool-call':
        return this.#addCall(part);
      case 'tool-input':
        return this.#extendCall(part.call, part.text);
      case 'image':
        return this.#addImage(part.url);
      case 'source':
        return this.#addAnnotation(part.citation);
      default:
    }
  }

  /** Completes all items. @param status of the items */
  finish(status: 'completed' | 'incomplete'): void {
    this.#closeReasoning();
    for (const [index, item] of this.#items.entries()) {
      this.#closeItem(item);
      this.#emit('response.output_item.done', { output_index: index, item: itemObject(item, status, this.#seal) });
    }
  }

  /** The current items. */
  items(status: ItemStatus): JsonObject[] {
    return this.#items.map((item) => itemObject(item, status, this.#seal));
  }

  #addReasoning(piece: string): void {
    if (piece === '') return;
    const last = this.#items.at(-1);
    const item = last?.type === 'reasoning' && !last.isClosed ? last : this.#newReasoning();
    const at = { item_id: item.id, output_index: this.#items.indexOf(item), summary_index: 0 };
    if (!item.hasSummary) {
      item.hasSummary = true;
      this.#emit('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } });
    }
    item.text += piece;
    this.#emit('response.reasoning_summary_text.delta', { ...at, delta: piece });
  }

  #addText(type: ContentPart['type'], piece: string, logprobs: JsonObject[]): void {
    if (piece === '' && logprobs.length === 0) return;
    const message = this.#message();
    let part = message.parts.at(-1);
    if (part?.type !== type) {
      part = { type, text: '', annotations: [], logprobs: [] };
      message.parts.push(part);
      this.#emit('response.content_part.added', { ...this.#partAt(message, part), part: partObject(part) });
    }
    part.text += piece;
    for (const token of logprobs) part.logprobs.push(token);
    const at = this.#partAt(message, part);
    if (type === 'refusal') this.#emit('response.refusal.delta', { ...at, delta: piece });
    else this.#emit('response.output_text.delta', { ...at, delta: piece, logprobs });
  }

  #addCall(part: ToolCallPart): void {
    this.#closeReasoning();
    const item = newCall(part, this.#items.length, this.#tools, this.#nameItem);
    this.#calls[part.call] = item;
    this.#begin(item);
  }

  #extendCall(call: number, piece: string): void {
    const item = this.#calls[call];
    if (item !== undefined && piece !== '') extendCall(item, piece, this.#emit);
  }

  /** Only images that the response itself contains. */
  #addImage(url: string): void {
    const comma = url.startsWith('data:') ? url.indexOf(',') : -1;
    if (comma < 0) return;
    this.#closeReasoning();
    this.#begin({ type: 'image', id: this.#nameItem('ig', this.#items.length), result: url.slice(comma + 1) });
  }

  #addAnnotation({ url, title, startIndex, endIndex }: UrlCitation): void {
    const message = this.#items.findLast((item) => item.type === 'message');
    const part = message?.parts.findLast(({ type }) => type === 'output_text');
    if (message === undefined || part === undefined) return;
    const annotation = { type: 'url_citation', url, title, start_index: startIndex, end_index: endIndex };
    const annotationIndex = part.annotations.push(annotation) - 1;
    const at = { ...this.#partAt(message, part), annotation_index: annotationIndex };
    this.#emit('response.output_text.annotation.added', { ...at, annotation });
  }

  /** Signed reasoning may have no readable text. */
  #addReasoningDetail(detail: ReasoningDetailPart['detail']): void {
    const item = this.#items.findLast(({ type }) => type === 'reasoning') ?? this.#newReasoning();
    if (item.type === 'reasoning') item.details.push(detail);
  }

  #newReasoning(): ReasoningItem {
    const id = this.#nameItem('rs', this.#items.length);
    const item: ReasoningItem = { type: 'reasoning', id, text: '', hasSummary: false, isClosed: false, details: [] };
    this.#begin(item);
    return item;
  }

  /** The current message, or a new one after another item. */
  #message(): MessageItem {
    const last = this.#items.at(-1);
    if (last?.type === 'message') return last;
    this.#closeReasoning();
    const message: MessageItem = { type: 'message', id: this.#nameItem('msg', this.#items.length), parts: [] };
    this.#begin(message);
    return message;
  }

  #begin(item: OutputItem): void {
    const index = this.#items.push(item) - 1;
    this.#emit('response.output_item.added', {
      output_index: index,
      item: itemObject(item, 'in_progress', this.#seal),
    });
  }

  /** A reasoning summary is complete once another item starts. */
  #closeReasoning(): void {
    for (const [index, item] of this.#items.entries()) {
      if (item.type !== 'reasoning' || item.isClosed) continue;
      item.isClosed = true;
      if (!item.hasSummary) continue;
      const at = { item_id: item.id, output_index: index, summary_index: 0 };
      this.#emit('response.reasoning_summary_text.done', { ...at, text: item.text });
      this.#emit('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text: item.text } });
    }
  }

  #closeItem(item: OutputItem): void {
    if (item.type === 'call') closeCall(item, this.#emit);
    if (item.type !== 'message') return;
    for (const part of item.parts) {
      const at = this.#partAt(item, part);
      if (part.type === 'refusal') this.#emit('response.refusal.done', { ...at, refusal: part.text });
      else this.#emit('response.output_text.done', { ...at, text: part.text, logprobs: part.logprobs });
      this.#emit('response.content_part.done', { ...at, part: partObject(part) });
    }
  }

  #partAt(message: MessageItem, part: ContentPart): JsonObject {
    return {
      item_id: message.id,
      output_index: this.#items.indexOf(message),
      content_index: message.parts.indexOf(part),
    };
  }
}
