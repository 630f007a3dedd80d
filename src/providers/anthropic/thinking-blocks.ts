import { readReasoningDetails, type ReasoningDetail } from '../shared/reasoning-details.ts';
import type { JsonObject } from './json-object.ts';

const format = 'anthropic-claude-v1';

/** Where a block stood in its message: behind so many characters of the content, and so many calls. */
export interface Place {
  readonly text: number;
  readonly calls: number;
}

/** A block as Anthropic has to see it again, and where. */
export interface PlacedThinking extends Place {
  readonly block: JsonObject;
}

export function thinkingDetail(text: string, signature: string, place: Place): ReasoningDetail {
  return { type: 'reasoning.text', format, ...placeId(place), text, ...(signature !== '' && { signature }) };
}

export function redactedDetail(data: string, place: Place): ReasoningDetail {
  return { type: 'reasoning.encrypted', format, ...placeId(place), data };
}

/**
 * The blocks that a client's message carries, in their order. What is not signed is no use to Anthropic, and left out.
 * @param reasoningDetails the message's member, as the client sent it
 */
export function readThinking(reasoningDetails: unknown): PlacedThinking[] {
  const found: PlacedThinking[] = [];
  for (const detail of readReasoningDetails(reasoningDetails, format)) {
    const block = thinkingBlock(detail);
    if (block) found.push({ ...placeOf(detail.id), block });
  }
  return found;
}

function thinkingBlock(detail: ReasoningDetail): JsonObject | null {
  if (detail.type === 'reasoning.encrypted') return { type: 'redacted_thinking', data: detail.data };
  if (detail.type !== 'reasoning.text' || !detail.signature) return null;
  return { type: 'thinking', thinking: detail.text, signature: detail.signature };
}

/** Anthropic's blocks have no ids. Most stand before all else, which goes without saying. */
function placeId({ text, calls }: Place): { readonly id?: string } {
  return text === 0 && calls === 0 ? {} : { id: `after:${text}:${calls}` };
}

function placeOf(id: string | undefined): Place {
  const [, text = 0, calls = 0] = /^after:(\d{1,9}):(\d{1,9})$/.exec(id ?? '') ?? [];
  return { text: Number(text), calls: Number(calls) };
}
