import { readReasoningDetails, type ReasoningDetail } from '../canonical/reasoning-details.ts';
import { isObject, type JsonObject } from '../canonical/json-members.ts';

const format = 'anthropic-claude-v1';

/** Blocks with members of their own in OpenAI's format: a client cannot send them back in this form. */
const notPreserved: ReadonlySet<unknown> = new Set([
  'text',
  'tool_use',
  'tool_result',
  'image',
  'document',
  'thinking',
  'redacted_thinking',
]);

/** The position of a block in its message: the number of characters and calls before it. */
export interface BlockPosition {
  readonly text: number;
  readonly calls: number;
}

/** A block that must be sent back to Anthropic, and its position. */
export interface PreservedBlock extends BlockPosition {
  readonly block: JsonObject;
}

export function thinkingDetail(text: string, signature: string, position: BlockPosition): ReasoningDetail {
  return { type: 'reasoning.text', format, ...thinkingId(position), text, ...(signature !== '' && { signature }) };
}

export function redactedDetail(data: string, position: BlockPosition): ReasoningDetail {
  return { type: 'reasoning.encrypted', format, ...thinkingId(position), data };
}

/** A block that OpenAI's messages have no member for, unchanged. */
export function blockDetail(block: JsonObject, { text, calls }: BlockPosition): ReasoningDetail {
  return { type: 'reasoning.encrypted', format, id: `block:${text}:${calls}`, data: JSON.stringify(block) };
}

/**
 * The preserved blocks in a client's message, in order. Unsigned thinking is omitted, as Anthropic rejects it, and so
 * are malformed blocks.
 * @param reasoningDetails the message's member, as the client sent it
 */
export function readPreservedBlocks(reasoningDetails: unknown): PreservedBlock[] {
  const blocks: PreservedBlock[] = [];
  for (const detail of readReasoningDetails(reasoningDetails, format)) {
    const [, kind, text = 0, calls = 0] = /^(after|block):(\d{1,9}):(\d{1,9})$/.exec(detail.id ?? '') ?? [];
    const block = kind === 'block' ? storedBlock(detail) : thinkingBlock(detail);
    if (block) blocks.push({ text: Number(text), calls: Number(calls), block });
  }
  return blocks;
}

function thinkingBlock(detail: ReasoningDetail): JsonObject | null {
  if (detail.type === 'reasoning.encrypted') return { type: 'redacted_thinking', data: detail.data };
  if (detail.type !== 'reasoning.text' || !detail.signature) return null;
  return { type: 'thinking', thinking: detail.text, signature: detail.signature };
}

function storedBlock(detail: ReasoningDetail): JsonObject | null {
  const block = detail.type === 'reasoning.encrypted' ? parsed(detail.data) : null;
  return isObject(block) && typeof block.type === 'string' && !notPreserved.has(block.type) ? block : null;
}

/** Null for invalid JSON. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Anthropic's blocks have no ids. The position of a block before all content is omitted. */
function thinkingId({ text, calls }: BlockPosition): { readonly id?: string } {
  return text === 0 && calls === 0 ? {} : { id: `after:${text}:${calls}` };
}
