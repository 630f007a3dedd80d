import { readReasoningDetails, type ReasoningDetail } from '../canonical/reasoning-details.ts';
import { isObject, type JsonObject } from '../canonical/json-members.ts';

const format = 'anthropic-claude-v1';

/** Blocks of OpenAI's own members: nothing that a client carries may stand for them. */
const notCarried: ReadonlySet<unknown> = new Set([
  'text',
  'tool_use',
  'tool_result',
  'image',
  'document',
  'thinking',
  'redacted_thinking',
]);

/** Where a block stood in its message: behind so many characters of the content, and so many calls. */
export interface BlockPosition {
  readonly text: number;
  readonly calls: number;
}

/** A block as Anthropic has to see it again, and where. */
export interface CarriedBlock extends BlockPosition {
  readonly block: JsonObject;
}

export function thinkingDetail(text: string, signature: string, position: BlockPosition): ReasoningDetail {
  return { type: 'reasoning.text', format, ...thinkingId(position), text, ...(signature !== '' && { signature }) };
}

export function redactedDetail(data: string, position: BlockPosition): ReasoningDetail {
  return { type: 'reasoning.encrypted', format, ...thinkingId(position), data };
}

/** A block that OpenAI's messages have no member for, whole. */
export function blockDetail(block: JsonObject, { text, calls }: BlockPosition): ReasoningDetail {
  return { type: 'reasoning.encrypted', format, id: `block:${text}:${calls}`, data: JSON.stringify(block) };
}

/**
 * The blocks that a client's message carries, in their order. Thinking that is not signed is no use to Anthropic: it is left
 * out, as is what cannot be read.
 * @param reasoningDetails the message's member, as the client sent it
 */
export function readCarriedBlocks(reasoningDetails: unknown): CarriedBlock[] {
  const blocks: CarriedBlock[] = [];
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
  return isObject(block) && typeof block.type === 'string' && !notCarried.has(block.type) ? block : null;
}

/** Null for what is no JSON. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Anthropic's blocks have no ids. Most thinking stands before all else, which goes without saying. */
function thinkingId({ text, calls }: BlockPosition): { readonly id?: string } {
  return text === 0 && calls === 0 ? {} : { id: `after:${text}:${calls}` };
}
