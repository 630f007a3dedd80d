import {
  isObject,
  listOf,
  membersOf,
  objectsOf,
  textIn,
  textOf,
  type JsonObject,
} from '../../canonical/json-members.ts';
import { detailsOfSignature } from '../carried-signature.ts';
import { callSignature, noSignature, textSignature, thoughtSignature } from '../signatures.ts';
import { filePart, inlinePart } from './media-parts.ts';
import { assertPartMembers, nothingLeft } from './part-members.ts';
import type { GeminiRequest } from './schema.ts';

/**
 * Decodes the contents of a request to chat messages. Source: ai.google.dev/api/caching, Content and Part.
 * @throws SluiceError for a part of unknown members, and for contents of which nothing is left
 */
export class DecodedContents {
  readonly messages: JsonObject[] = [];
  /** Paths of parts without an equivalent. */
  readonly dropped: string[] = [];
  /** Ids of calls without a result, by the function's name: Google's ids are optional. */
  readonly #open = new Map<string, string[]>();
  #calls = 0;

  constructor({ systemInstruction, contents }: GeminiRequest) {
    const instructions = objectsOf(systemInstruction?.parts ?? []).flatMap(textParts);
    if (instructions.length > 0) this.messages.push({ role: 'system', content: instructions });
    for (const [index, { role, parts }] of contents.entries()) {
      const path = `contents[${index}]`;
      if (role === 'model') this.#model(objectsOf(parts ?? []), path);
      else this.#user(objectsOf(parts ?? []), path);
    }
    if (this.messages.length === 0 && this.dropped.length > 0) throw nothingLeft('contents');
  }

  #user(parts: readonly JsonObject[], path: string): void {
    const content: JsonObject[] = [];
    const before = this.messages.length;
    const droppedBefore = this.dropped.length;
    for (const [index, part] of parts.entries()) {
      const at = `${path}.parts[${index}]`;
      if (isObject(part.functionResponse)) this.#result(part.functionResponse, at, content);
      else this.#addPart(part, at, content);
    }
    if (content.length > 0) this.messages.push({ role: 'user', content });
    else if (this.messages.length === before && this.dropped.length > droppedBefore) throw nothingLeft(`${path}.parts`);
  }

  #model(parts: readonly JsonObject[], path: string): void {
    const content: JsonObject[] = [];
    const calls: JsonObject[] = [];
    const details: object[] = [];
    // Reasoning of a text, which the call behind it carries too.
    const copies: string[] = [];
    let length = 0;
    for (const [index, part] of parts.entries()) {
      const given = textOf(part.thoughtSignature) ?? '';
      // Says that there is none: an encoder for Google writes it again.
      const signature = given === noSignature ? '' : given;
      const carried = signature === '' ? [] : detailsOfSignature(signature);
      if (carried !== null) details.push(...carried.filter((detail) => !isCopied(detail, copies)));
      const own = carried === null ? signature : '';
      const text = textIn(part, 'text');
      if (isObject(part.functionCall)) {
        const call = this.#call(part.functionCall);
        calls.push(call);
        if (own !== '') details.push(callSignature(textIn(call, 'id'), own));
      } else if (part.thought === true) {
        if (own !== '') details.push(thoughtSignature({ text, signature: own }));
      } else if (typeof part.text === 'string') {
        const start = length;
        length += text.length;
        if (text !== '') content.push({ type: 'text', text });
        copies.push(...(carried ?? []).map((detail) => JSON.stringify(detail)));
        if (own !== '') details.push(textSignature({ start, end: length, callsBefore: calls.length, signature: own }));
      } else this.#drop(part, `${path}.parts[${index}]`);
    }
    if (content.length === 0 && calls.length === 0) return;
    this.messages.push({
      role: 'assistant',
      content: content.length === 0 ? null : content,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(details.length > 0 && { reasoning_details: details }),
    });
  }

  #call(called: JsonObject): JsonObject {
    const name = textIn(called, 'name');
    const id = textIn(called, 'id') || `call_${++this.#calls}`;
    this.#open.set(name, [...(this.#open.get(name) ?? []), id]);
    return { id, type: 'function', function: { name, arguments: JSON.stringify(membersOf(called.args)) } };
  }

  /** The result of a call is text in a chat: its media follow as the user's. */
  #result(answered: JsonObject, path: string, media: JsonObject[]): void {
    const name = textIn(answered, 'name');
    const open = this.#open.get(name) ?? [];
    const given = textIn(answered, 'id');
    const id = given || (open[0] ?? name);
    this.#open.set(
      name,
      open.filter((each) => each !== id),
    );
    const response = membersOf(answered.response);
    const names = Object.keys(response);
    const [only = ''] = names.length === 1 ? names : [];
    const isText = ['output', 'result'].includes(only) && typeof response[only] === 'string';
    this.messages.push({
      role: 'tool',
      tool_call_id: id,
      content: isText ? response[only] : JSON.stringify(response),
    });
    for (const [index, part] of objectsOf(listOf(answered.parts)).entries())
      this.#addPart(part, `${path}.functionResponse.parts[${index}]`, media);
  }

  #addPart(part: JsonObject, path: string, content: JsonObject[]): void {
    if (typeof part.text === 'string') return void content.push(...textParts(part));
    if (isObject(part.inlineData)) return void content.push(inlinePart(part.inlineData));
    const linked = isObject(part.fileData) ? filePart(part.fileData) : null;
    if (linked !== null) return void content.push(linked);
    this.#drop(part, path);
  }

  #drop(part: JsonObject, path: string): void {
    assertPartMembers(part, path);
    this.dropped.push(path);
  }
}

/** Whether a text carried the detail before; each copy counts once. */
function isCopied(detail: JsonObject, copies: string[]): boolean {
  const index = copies.indexOf(JSON.stringify(detail));
  if (index >= 0) copies.splice(index, 1);
  return index >= 0;
}

function textParts({ text }: JsonObject): JsonObject[] {
  return typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : [];
}
