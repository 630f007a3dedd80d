import { carriedDetails } from '../../canonical/carried-reasoning.ts';
import type { JsonObject } from '../../canonical/json-members.ts';
import { redactedDetail, thinkingDetail, type BlockPosition } from '../preserved-blocks.ts';
import { assertBlockType, nothingLeft } from './block-types.ts';
import { documentPart, imagePart } from './media-parts.ts';
import type { Block, MessagesRequest, ToolResult } from './schema.ts';

/** Chat messages, and the paths of what they lack. */
export interface DecodedConversation {
  readonly messages: readonly JsonObject[];
  readonly dropped: readonly string[];
}

/**
 * Decodes the messages of a request. Source: platform.claude.com/docs/en/api/messages.
 * @throws SluiceError for a block of an unknown type, and for a message of which nothing is left
 */
export function decodeConversation({ system, messages }: MessagesRequest): DecodedConversation {
  const conversation = new Conversation();
  if (typeof system === 'string' && system !== '') conversation.messages.push({ role: 'system', content: system });
  else if (Array.isArray(system) && system.length > 0)
    conversation.messages.push({ role: 'system', content: system.map(({ text }) => ({ type: 'text', text })) });
  for (const [index, { role, content }] of messages.entries()) {
    const path = `messages[${index}]`;
    const blocks: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (role === 'assistant') conversation.addAssistant(blocks, path);
    else conversation.addUser(role, blocks, path);
  }
  const { dropped } = conversation;
  if (conversation.messages.length === 0 && dropped.length > 0) throw nothingLeft('messages');
  return conversation;
}

class Conversation implements DecodedConversation {
  readonly messages: JsonObject[] = [];
  readonly dropped: string[] = [];

  /** Results come first, as messages of their own: the content after them follows. */
  addUser(role: 'user' | 'system', blocks: readonly Block[], path: string): void {
    const parts: JsonObject[] = [];
    for (const [index, block] of blocks.entries()) {
      const at = `${path}.content[${index}]`;
      if (block.type === 'tool_result') this.#result(block, at, parts);
      else this.#addPart(block, at, parts);
    }
    const content = role === 'system' ? parts.filter(({ type }) => type === 'text') : parts;
    if (content.length > 0) this.messages.push({ role, content });
    else {
      const isLost = blocks.some(({ type }) => type !== 'text');
      if (isLost && blocks.every(({ type }) => type !== 'tool_result')) throw nothingLeft(`${path}.content`);
    }
  }

  addAssistant(blocks: readonly Block[], path: string): void {
    const content: JsonObject[] = [];
    const calls: JsonObject[] = [];
    const details: object[] = [];
    let length = 0;
    for (const [index, block] of blocks.entries()) {
      const position: BlockPosition = { text: length, calls: calls.length };
      switch (block.type) {
        case 'text':
          length += block.text.length;
          if (block.text !== '') content.push({ type: 'text', text: block.text });
          break;
        case 'thinking':
          details.push(
            ...(carriedDetails(block.signature) ?? [thinkingDetail(block.thinking, block.signature, position)]),
          );
          break;
        case 'redacted_thinking':
          details.push(...(carriedDetails(block.data) ?? [redactedDetail(block.data, position)]));
          break;
        case 'tool_use': {
          const called = { name: block.name, arguments: JSON.stringify(block.input) };
          calls.push({ id: block.id, type: 'function', function: called });
          break;
        }
        default:
          if (block.type === 'other') assertBlockType(block.kind, `${path}.content[${index}]`);
          this.dropped.push(`${path}.content[${index}]`);
      }
    }
    if (content.length === 0 && calls.length === 0) return;
    this.messages.push({
      role: 'assistant',
      content: content.length === 0 ? null : content,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(details.length > 0 && { reasoning_details: details }),
    });
  }

  /** The result of a call is text in a chat: its images follow as the user's. */
  #result({ tool_use_id: id, content, is_error: isError }: ToolResult, path: string, images: JsonObject[]): void {
    if (isError === true) this.dropped.push(`${path}.is_error`);
    const texts: JsonObject[] = [];
    for (const [index, part] of (typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : (content ?? [])
    ).entries()) {
      const at = `${path}.content[${index}]`;
      if (part.type === 'text' && typeof part.text === 'string') texts.push({ type: 'text', text: part.text });
      else if (part.type === 'image' || part.type === 'document') this.#addPart(part, at, images);
      else {
        assertBlockType(part.type, at);
        this.dropped.push(at);
      }
    }
    this.messages.push({ role: 'tool', tool_call_id: id, content: texts.length === 0 ? '' : texts });
  }

  #addPart(block: JsonObject, path: string, parts: JsonObject[]): void {
    if (block.type === 'text') {
      if (block.text !== '') parts.push({ type: 'text', text: block.text });
      return;
    }
    if (block.type === 'other') assertBlockType(block.kind, path);
    const part = block.type === 'image' ? imagePart(block) : block.type === 'document' ? documentPart(block) : null;
    if (part === null) this.dropped.push(path);
    else parts.push(part);
  }
}
