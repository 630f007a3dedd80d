import { SluiceError } from '../../../errors/index.ts';
import type { JsonObject } from '../../canonical/json-members.ts';
import type { CallOutput, ContentPart, InputItem, MessageItem } from './items.ts';
import { openDetails } from '../encrypted-reasoning.ts';

/** Returns undefined for invalid JSON. */
export type ParseJson = (json: string) => unknown;

/** Consecutive reasoning, text and calls of an assistant. */
interface Turn {
  readonly content: JsonObject[];
  readonly calls: JsonObject[];
  readonly details: unknown[];
}

/**
 * Converts the items of a conversation to chat messages. Source: OpenAI's API document, InputItem.
 * @throws SluiceError unsupported_value for items without an equivalent: omitting one would change the request
 */
export function messagesOf(items: readonly InputItem[], parseJson: ParseJson): JsonObject[] {
  const conversation = new Conversation(parseJson);
  for (const [index, item] of items.entries()) conversation.add(item, `input[${index}]`);
  conversation.closeTurn();
  return conversation.messages;
}

class Conversation {
  readonly messages: JsonObject[] = [];
  readonly #parseJson: ParseJson;
  #turn: Turn | null = null;

  constructor(parseJson: ParseJson) {
    this.#parseJson = parseJson;
  }

  add(item: InputItem, path: string): void {
    switch (item.type) {
      case 'message':
        return this.#message(item, path);
      case 'reasoning':
        this.#openTurn().details.push(...openDetails(item, this.#parseJson));
        return;
      case 'function_call': {
        const called = { name: item.name, arguments: item.arguments };
        this.#openTurn().calls.push({ id: item.call_id, type: 'function', function: called });
        return;
      }
      case 'custom_tool_call': {
        const called = { name: item.name, input: item.input };
        this.#openTurn().calls.push({ id: item.call_id, type: 'custom', custom: called });
        return;
      }
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#push({ role: 'tool', tool_call_id: item.call_id, content: outputText(item.output, path) });
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

  #openTurn(): Turn {
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
      if (url) throw unsupported(`${path}.file_url`, 'is not supported. Send the file itself as `file_data`.');
      const file = { ...(file_data && { file_data }), ...(file_id && { file_id }), ...(filename && { filename }) };
      return { type: 'file', file };
    }
  }
}

/** Tool results in chats are text. */
function outputText(output: CallOutput, path: string): string | JsonObject[] {
  if (typeof output === 'string') return output;
  const parts = output.map((part, at) => {
    if (part.type === 'input_text') return { type: 'text', text: part.text };
    throw unsupported(`${path}.output[${at}].type`, 'is not supported: the output of a tool must be text.');
  });
  return parts.length === 0 ? '' : parts;
}

function unsupported(param: string, reason: string): SluiceError {
  return new SluiceError('unsupported_value', { param, values: { reason } });
}
