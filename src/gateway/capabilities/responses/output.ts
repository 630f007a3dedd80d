import { isObject } from '../../../protocols/canonical/json-members.ts';
import type { ResponseNames } from './response-names.ts';
import { sealDetails } from './reasoning.ts';

type Json = Record<string, unknown>;

/** Receives one event: its type and members. */
export type EmitEvent = (type: string, members: Json) => void;

interface Part {
  readonly type: 'output_text' | 'refusal';
  text: string;
  readonly annotations: Json[];
  readonly logprobs: Json[];
}

interface Called {
  readonly custom: boolean;
  readonly callId: string;
  readonly name: string;
  given: string;
}

interface Message {
  readonly kind: 'message';
  readonly id: string;
  readonly parts: Part[];
}

interface Call {
  readonly kind: 'call';
  readonly id: string;
  readonly called: Called;
}

interface ReasoningItem {
  readonly kind: 'thought';
  readonly id: string;
  text: string;
  begun: boolean;
  closed: boolean;
  details: unknown[];
}

interface Picture {
  readonly kind: 'picture';
  readonly id: string;
  readonly result: string;
}

type Item = Message | Call | ReasoningItem | Picture;

/**
 * Builds the output of a response from the deltas or the message of a chat, and emits its events. Items are completed
 * with the response: citations and reasoning signatures arrive at its end. Source: OpenAI's API document, OutputItem
 * and ResponseStreamEvent.
 */
export class Output {
  readonly #items: Item[] = [];
  readonly #calls = new Map<number, number>();
  readonly #nameOf: (prefix: string, index: number) => string;
  readonly #emit: EmitEvent;

  /** @param id the response's UUID, which item ids derive from */
  constructor(names: ResponseNames, id: string, emit: EmitEvent) {
    this.#nameOf = (prefix, index) => names.item(prefix, id, index);
    this.#emit = emit;
  }

  /** Adds a delta of a stream, or a complete message. Unknown members are ignored. */
  add(delta: Json, logprobs: unknown): void {
    // `reasoning_content` is used by DeepSeek and vLLM, `reasoning` by OpenRouter and Ollama.
    this.#addReasoning(text(delta.reasoning_content) || text(delta.reasoning));
    this.#addText(
      'output_text',
      text(delta.content),
      objects(isObject(logprobs) ? logprobs.content : null).map(tokenLogprob),
    );
    this.#addText('refusal', text(delta.refusal), []);
    for (const [place, call] of objects(delta.tool_calls).entries()) this.#addCall(place, call);
    for (const picture of objects(delta.images)) this.#addPicture(picture);
    for (const annotation of objects(delta.annotations)) this.#addAnnotation(annotation);
    const details: unknown = delta.reasoning_details;
    if (Array.isArray(details) && details.length > 0) this.#addReasoningDetails(details);
  }

  /** Completes all items. @param status of the items */
  finish(status: 'completed' | 'incomplete'): void {
    this.#closeReasoning();
    for (const [index, item] of this.#items.entries()) {
      this.#closeItem(item, index);
      this.#emit('response.output_item.done', { output_index: index, item: itemObject(item, status) });
    }
  }

  /** The current items. */
  items(status: 'completed' | 'incomplete'): Json[] {
    return this.#items.map((item) => itemObject(item, status));
  }

  #addReasoning(piece: string): void {
    if (piece === '') return;
    const last = this.#items.at(-1);
    const thought = last?.kind === 'thought' && !last.closed ? last : this.#newReasoning();
    const at = { item_id: thought.id, output_index: this.#items.indexOf(thought), summary_index: 0 };
    if (!thought.begun) {
      thought.begun = true;
      this.#emit('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } });
    }
    thought.text += piece;
    this.#emit('response.reasoning_summary_text.delta', { ...at, delta: piece });
  }

  #addText(type: Part['type'], piece: string, logprobs: Json[]): void {
    if (piece === '' && logprobs.length === 0) return;
    const message = this.#message();
    let part = message.parts.at(-1);
    if (part?.type !== type) {
      part = { type, text: '', annotations: [], logprobs: [] };
      message.parts.push(part);
      this.#emit('response.content_part.added', { ...this.#partAt(message, part), part: partObject(part) });
    }
    part.text += piece;
    part.logprobs.push(...logprobs);
    const at = this.#partAt(message, part);
    if (type === 'refusal') this.#emit('response.refusal.delta', { ...at, delta: piece });
    else this.#emit('response.output_text.delta', { ...at, delta: piece, logprobs });
  }

  #addCall(place: number, given: Json): void {
    const known = this.#calls.get(typeof given.index === 'number' ? given.index : place);
    const custom = given.type === 'custom' || isObject(given.custom);
    const members = objectOr(custom ? given.custom : given.function);
    const piece = text(custom ? members.input : members.arguments);
    const found = known === undefined ? undefined : this.#items[known];
    if (found?.kind === 'call') return this.#extendCall(found, known ?? 0, piece);
    this.#closeReasoning();
    const index = this.#items.length;
    this.#calls.set(typeof given.index === 'number' ? given.index : place, index);
    const id = this.#nameOf(custom ? 'ctc' : 'fc', index);
    const call: Call = {
      kind: 'call',
      id,
      called: { custom, callId: text(given.id) || id, name: text(members.name), given: '' },
    };
    this.#begin(call);
    this.#extendCall(call, index, piece);
  }

  #extendCall(call: Call, index: number, piece: string): void {
    if (piece === '') return;
    call.called.given += piece;
    const type = call.called.custom
      ? 'response.custom_tool_call_input.delta'
      : 'response.function_call_arguments.delta';
    this.#emit(type, { item_id: call.id, output_index: index, delta: piece });
  }

  #addPicture(given: Json): void {
    const url = text(objectOr(given.image_url).url);
    const comma = url.startsWith('data:') ? url.indexOf(',') : -1;
    if (comma < 0) return;
    this.#closeReasoning();
    const index = this.#items.length;
    this.#begin({ kind: 'picture', id: this.#nameOf('ig', index), result: url.slice(comma + 1) });
  }

  #addAnnotation(given: Json): void {
    const citation = objectOr(given.url_citation);
    if (text(citation.url) === '') return;
    const message = this.#items.findLast((item) => item.kind === 'message');
    const part = message?.parts.findLast(({ type }) => type === 'output_text');
    if (message === undefined || part === undefined) return;
    const { url, title, start_index: start, end_index: end } = citation;
    const annotation = {
      type: 'url_citation',
      url,
      title: text(title),
      start_index: index(start),
      end_index: index(end),
    };
    part.annotations.push(annotation);
    const at = this.#partAt(message, part);
    this.#emit('response.output_text.annotation.added', {
      ...at,
      annotation_index: part.annotations.length - 1,
      annotation,
    });
  }

  /** Signed reasoning may have no readable text. */
  #addReasoningDetails(details: unknown[]): void {
    const thought = this.#items.findLast((item) => item.kind === 'thought') ?? this.#newReasoning();
    thought.details.push(...details);
  }

  #newReasoning(): ReasoningItem {
    const id = this.#nameOf('rs', this.#items.length);
    const thought: ReasoningItem = { kind: 'thought', id, text: '', begun: false, closed: false, details: [] };
    this.#begin(thought);
    return thought;
  }

  /** The current message, or a new one after a call. */
  #message(): Message {
    const last = this.#items.at(-1);
    if (last?.kind === 'message') return last;
    this.#closeReasoning();
    const message: Message = { kind: 'message', id: this.#nameOf('msg', this.#items.length), parts: [] };
    this.#begin(message);
    return message;
  }

  #begin(item: Item): void {
    const index = this.#items.push(item) - 1;
    this.#emit('response.output_item.added', { output_index: index, item: itemObject(item, 'in_progress') });
  }

  /** A reasoning summary is complete once another item starts. */
  #closeReasoning(): void {
    for (const [index, item] of this.#items.entries()) {
      if (item.kind !== 'thought' || item.closed) continue;
      item.closed = true;
      if (!item.begun) continue;
      const at = { item_id: item.id, output_index: index, summary_index: 0 };
      this.#emit('response.reasoning_summary_text.done', { ...at, text: item.text });
      this.#emit('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text: item.text } });
    }
  }

  #closeItem(item: Item, index: number): void {
    if (item.kind === 'call') {
      const { custom, name, given } = item.called;
      const at = { item_id: item.id, output_index: index };
      if (custom) this.#emit('response.custom_tool_call_input.done', { ...at, input: given });
      else this.#emit('response.function_call_arguments.done', { ...at, name, arguments: given });
    }
    if (item.kind !== 'message') return;
    for (const part of item.parts) {
      const at = this.#partAt(item, part);
      if (part.type === 'refusal') this.#emit('response.refusal.done', { ...at, refusal: part.text });
      else this.#emit('response.output_text.done', { ...at, text: part.text, logprobs: part.logprobs });
      this.#emit('response.content_part.done', { ...at, part: partObject(part) });
    }
  }

  #partAt(message: Message, part: Part): Json {
    return {
      item_id: message.id,
      output_index: this.#items.indexOf(message),
      content_index: message.parts.indexOf(part),
    };
  }
}

function itemObject(item: Item, status: 'in_progress' | 'completed' | 'incomplete'): Json {
  switch (item.kind) {
    case 'message': {
      const content = status === 'in_progress' ? [] : item.parts.map(partObject);
      return { id: item.id, type: 'message', status, role: 'assistant', content };
    }
    case 'call': {
      const { custom, callId: call_id, name, given } = item.called;
      if (custom) return { id: item.id, type: 'custom_tool_call', status, call_id, name, input: given };
      return { id: item.id, type: 'function_call', status, call_id, name, arguments: given };
    }
    case 'thought': {
      const summary = status === 'in_progress' || item.text === '' ? [] : [{ type: 'summary_text', text: item.text }];
      const sealed = item.details.length > 0 && { encrypted_content: sealDetails(item.details) };
      return { id: item.id, type: 'reasoning', summary, ...sealed };
    }
    case 'picture':
      // Images arrive complete.
      return {
        id: item.id,
        type: 'image_generation_call',
        status: status === 'in_progress' ? status : 'completed',
        result: item.result,
      };
  }
}

function partObject({ type, text: content, annotations, logprobs }: Part): Json {
  return type === 'refusal' ? { type, refusal: content } : { type, text: content, annotations, logprobs };
}

/** `bytes` may be null in chats. */
function tokenLogprob(given: Json): Json {
  const alternatives = objects(given.top_logprobs).map((each) => ({ ...each, bytes: bytesOf(each) }));
  return { ...given, bytes: bytesOf(given), top_logprobs: alternatives };
}

function bytesOf({ token, bytes }: Json): unknown {
  return Array.isArray(bytes) ? bytes : [...Buffer.from(text(token))];
}

function index(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) ? value : 0;
}

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function objectOr(value: unknown): Json {
  return isObject(value) ? value : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
