import { SluiceError } from '../../../errors/index.ts';
import type { JsonObject } from '../../canonical/json-members.ts';
import type { CallOutput, ContentPart, MessageItem, PlainItem } from './items.ts';
import type { PlainItems } from './plain-items.ts';
import { openDetails, type ParseJson } from '../encrypted-content/encrypted-reasoning.ts';
import type { ContentSeal } from '../encrypted-content/content-seal.ts';

/** Reads the reasoning that a client sends back. */
export interface ReasoningReader {
  readonly parse: ParseJson;
  readonly seal: ContentSeal;
}

/** Consecutive reasoning, text and calls of an assistant. */
interface Turn {
  readonly content: JsonObject[];
  readonly calls: JsonObject[];
  readonly details: unknown[];
}

/**
 * Converts the items of a conversation to chat messages. Source: OpenAI's API document, InputItem.
 * @throws SluiceError unsupported_value for items without an equivalent: omitting one would change the request |
 * invalid_encrypted_content
 */
export function messagesOf({ items }: Pick<PlainItems, 'items'>, reader: ReasoningReader): JsonObject[] {
  const conversation = new Conversation(reader);
  for (const { item, path } of items) conversation.add(item, path);
  conversation.closeTurn();
  return conversation.messages;
}

class Conversation {
  readonly messages: JsonObject[] = [];
  readonly #reader: ReasoningReader;
  #turn: Turn | null = null;
  /** Of the last results. */
  readonly #media: JsonObject[] = [];

  constructor(reader: ReasoningReader) {
    this.#reader = reader;
  }

  add(item: PlainItem, path: string): void {
    switch (item.type) {
      case 'message':
        return this.#message(item, path);
      case 'reasoning':
        this.#openTurn().details.push(...openDetails(item, { ...this.#reader, path }));
        return;
      case 'function_call': {
        const called = { name: item.name, arguments: item.arguments };
        this.#openTurn().calls.push({ id: item.call_id, type: 'function', function: called });
        return;
      }
      case 'function_call_output':
        return this.#output(item.call_id, item.output, path);
      case 'item_reference':
        throw new SluiceError('invalid_value', {
          param: `${path}.id`,
          values: { reason: 'no stored response of this account has this item.' },
        });
      case 'image_generation_call':
        // Chats have no images by the assistant.
        return;
    }
  }

  /** Reasoning alone is not a message. */
  closeTurn(): void {
    const turn = this.#turn;
    this.#turn = null;
    this.#pushMedia();
    if (turn === null || (turn.content.length === 0 && turn.calls.length === 0)) return;
    this.messages.push({
      role: 'assistant',
      content: turn.content.length === 0 ? null : turn.content,
      ...(turn.calls.length > 0 && { tool_calls: turn.calls }),
      ...(turn.details.length > 0 && { reasoning_details: turn.details }),
    });
  }

  #message({ role, content }: MessageItem, path: string): void {
    const parts = typeof content === 'string' ? content : chatParts(content, role, path);
    if (role !== 'assistant') return this.#push({ role, content: parts.length === 0 ? '' : parts });
    const textParts = typeof parts === 'string' ? [{ type: 'text', text: parts }] : parts;
    // Providers reject empty text parts.
    this.#openTurn().content.push(...textParts.filter(({ text }) => text !== ''));
  }

  /** Tool results in chats are text: what else they contain follows all of them, as the user's. */
  #output(callId: string, output: CallOutput, path: string): void {
    const parts = typeof output === 'string' ? output : output.filter(({ type }) => type === 'input_text');
    const content = typeof parts === 'string' ? parts : chatParts(parts, 'user', path);
    if (this.#turn !== null) this.closeTurn();
    this.messages.push({ role: 'tool', tool_call_id: callId, content: content.length === 0 ? '' : content });
    if (typeof output === 'string') return;
    for (const [at, part] of output.entries())
      if (part.type !== 'input_text') this.#media.push(chatPart(part, `${path}.output[${at}]`));
  }

  #pushMedia(): void {
    if (this.#media.length > 0) this.messages.push({ role: 'user', content: this.#media.splice(0) });
  }

  #openTurn(): Turn {
    if (this.#turn === null) this.#pushMedia();
    this.#turn ??= { content: [], calls: [], details: [] };
    return this.#turn;
  }

  #push(message: JsonObject): void {
    this.closeTurn();
    this.messages.push(message);
  }
}

function chatParts(content: readonly ContentPart[], role: MessageItem['role'], path: string): JsonObject[] {
  return content.map((part, at) => {
    const made = chatPart(part, `${path}.content[${at}]`);
    const isAllowed = role === 'user' ? part.type !== 'refusal' : made.type === 'text' || role === 'assistant';
    if (!isAllowed || (role === 'assistant' && made.type !== 'text' && made.type !== 'refusal'))
      throw unsupported(`${path}.content[${at}].type`, `is not supported in a message with the role \`${role}\`.`);
    return made;
  });
}

function chatPart(part: ContentPart, path: string): JsonObject {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'refusal', refusal: part.refusal };
    case 'input_audio':
      return { type: 'input_audio', input_audio: part.input_audio };
    case 'input_image': {
      const { image_url: url, detail } = part;
      if (typeof url !== 'string')
        throw unsupported(`${path}.image_url`, 'is required: images by `file_id` are not supported.');
      return { type: 'image_url', image_url: { url, ...(detail && { detail }) } };
    }
    case 'input_file': {
      const { file_data, file_id, filename, file_url: url } = part;
      const data = file_data || url;
      const file = { ...(data && { file_data: data }), ...(file_id && { file_id }), ...(filename && { filename }) };
      return { type: 'file', file };
    }
  }
}

function unsupported(param: string, reason: string): SluiceError {
  return new SluiceError('unsupported_value', { param, values: { reason } });
}
