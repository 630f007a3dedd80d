import type { StreamPartWriter } from '../canonical/stream-part-writer.ts';
import { textIn, type JsonObject } from '../canonical/json-members.ts';
import type { EmittedItem, EmittedItems } from './emitted-items.ts';
import { citationOf, tokenLogprobs } from './response-parts.ts';

const BETWEEN_REASONING = '\n\n';

/** Writes the texts of output items, which arrive in deltas, complete, or both: each character once. */
export class ItemTextWriter {
  readonly #writer: StreamPartWriter;
  readonly #items: EmittedItems;
  #reasoned = false;
  /** In characters. */
  #contentLength = 0;

  constructor(writer: StreamPartWriter, items: EmittedItems) {
    this.#writer = writer;
    this.#items = items;
  }

  /** Events with text: `.delta` has a part of it, `.done` all of it. */
  event(type: string, event: JsonObject): void {
    const part = partIndex(event.content_index);
    switch (type) {
      case 'response.output_text.delta':
        this.text(this.#items.of(event), part, textIn(event, 'delta'), event.logprobs);
        break;
      case 'response.output_text.done':
        this.completeText(this.#items.of(event), part, event);
        break;
      case 'response.refusal.delta':
        this.refusal(this.#items.of(event), part, textIn(event, 'delta'));
        break;
      case 'response.refusal.done':
        this.completeRefusal(this.#items.of(event), part, textIn(event, 'refusal'));
        break;
      case 'response.reasoning_text.delta':
        this.reason(this.#items.of(event), `reasoning ${part}`, textIn(event, 'delta'));
        break;
      case 'response.reasoning_text.done':
        this.completeReasoning(this.#items.of(event), `reasoning ${part}`, textIn(event, 'text'));
        break;
      case 'response.reasoning_summary_text.delta':
        this.reason(this.#items.of(event), `summary ${partIndex(event.summary_index)}`, textIn(event, 'delta'));
        break;
      case 'response.reasoning_summary_text.done':
        this.completeReasoning(
          this.#items.of(event),
          `summary ${partIndex(event.summary_index)}`,
          textIn(event, 'text'),
        );
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.input(this.#items.of(event), textIn(event, 'delta'));
        break;
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        this.completeInput(this.#items.of(event), textIn(event, 'arguments') || textIn(event, 'input'));
        break;
      default:
    }
  }

  contentPart(emitted: EmittedItem, part: JsonObject, index: number): void {
    switch (textIn(part, 'type')) {
      case 'output_text':
        this.completeText(emitted, index, part);
        if (Array.isArray(part.annotations))
          for (const [at, annotation] of part.annotations.entries()) this.citeIn(emitted, annotation, index, at);
        break;
      case 'refusal':
        this.completeRefusal(emitted, index, textIn(part, 'refusal'));
        break;
      case 'reasoning_text':
        this.completeReasoning(emitted, `reasoning ${index}`, textIn(part, 'text'));
        break;
      default:
    }
  }

  text(emitted: EmittedItem, part: number, piece: string, logprobs: unknown): void {
    if (piece === '') return;
    if (emitted.isNew(`text ${part}`)) emitted.starts.set(part, this.#contentLength);
    emitted.add(`text ${part}`, piece);
    this.#contentLength += characters(piece);
    this.#writer.text(piece, 0, tokenLogprobs(logprobs));
  }

  completeText(emitted: EmittedItem, part: number, complete: JsonObject): void {
    // The log probabilities of the complete text: used only if no delta had its own.
    const logprobs = emitted.isNew(`text ${part}`) ? complete.logprobs : undefined;
    this.text(emitted, part, emitted.rest(`text ${part}`, textIn(complete, 'text')), logprobs);
  }

  refusal(emitted: EmittedItem, part: number, piece: string): void {
    emitted.add(`refusal ${part}`, piece);
    this.#writer.refusal(piece);
  }

  completeRefusal(emitted: EmittedItem, part: number, complete: string): void {
    const rest = emitted.rest(`refusal ${part}`, complete);
    if (rest !== '') this.refusal(emitted, part, rest);
  }

  reason(emitted: EmittedItem, part: string, piece: string): void {
    if (piece === '') return;
    if (this.#reasoned && emitted.isNew(part)) this.#writer.reasoning(BETWEEN_REASONING);
    this.#reasoned = true;
    emitted.add(part, piece);
    this.#writer.reasoning(piece);
  }

  completeReasoning(emitted: EmittedItem, part: string, complete: string): void {
    this.reason(emitted, part, emitted.rest(part, complete));
  }

  input(emitted: EmittedItem, piece: string): void {
    if (emitted.call === null || piece === '') return;
    emitted.add('input', piece);
    this.#writer.toolArguments(emitted.call, piece);
  }

  completeInput(emitted: EmittedItem, complete: string): void {
    this.input(emitted, emitted.rest('input', complete));
  }

  citeIn(emitted: EmittedItem, annotation: unknown, part: number, index: number): void {
    const citation = citationOf(annotation, emitted.starts.get(part) ?? this.#contentLength);
    if (citation !== null && emitted.cites(`${part}`, index)) this.#writer.citation(citation);
  }
}

/** Parts are counted from 0. */
export function partIndex(index: unknown): number {
  return typeof index === 'number' ? index : 0;
}

/** As citations count: a surrogate pair is one character. */
function characters(piece: string): number {
  let pairs = 0;
  for (let at = 0; at < piece.length; at++) if ((piece.charCodeAt(at) & 0xfc00) === 0xd800) pairs++;
  return piece.length - pairs;
}
