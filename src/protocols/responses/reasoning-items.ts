import { readReasoningDetails, type ReasoningDetail } from '../canonical/reasoning-details.ts';
import { objectsOf, textIn, type JsonObject } from '../canonical/json-members.ts';

const format = 'openai-responses-v1';

/** The content of a reasoning item, for the client to send back. Source: OpenAI's API document, ReasoningItem. */
export function reasoningDetails(item: JsonObject): ReasoningDetail[] {
  const id = textIn(item, 'id');
  const base = { format, ...(id !== '' && { id }) } as const;
  const details: ReasoningDetail[] = [];
  for (const part of objectsOf(item.summary))
    if (textIn(part, 'text') !== '')
      details.push({ ...base, type: 'reasoning.summary', summary: textIn(part, 'text') });
  for (const part of objectsOf(item.content))
    if (textIn(part, 'text') !== '') details.push({ ...base, type: 'reasoning.text', text: textIn(part, 'text') });
  const data = textIn(item, 'encrypted_content');
  if (data !== '') details.push({ ...base, type: 'reasoning.encrypted', data });
  return details;
}

/** A reasoning item to send back, and the call that it must precede. */
export interface PreservedReasoning {
  readonly callId: string | null;
  readonly item: JsonObject;
}

interface ItemDraft {
  readonly id: string | undefined;
  readonly callId: string | null;
  readonly summary: JsonObject[];
  readonly content: JsonObject[];
  encrypted: string | null;
}

/**
 * The reasoning items in a client's assistant message.
 * @param stored whether the provider stores items and finds them by id; otherwise only items with their reasoning are
 * sent
 */
export function preservedReasoning(value: unknown, stored: boolean): PreservedReasoning[] {
  const drafts: ItemDraft[] = [];
  for (const detail of readReasoningDetails(value, format)) {
    let last = drafts.at(-1);
    if (last === undefined || last.id !== detail.id || last.encrypted !== null) {
      last = { id: detail.id, callId: detail.tool_call_id ?? null, summary: [], content: [], encrypted: null };
      drafts.push(last);
    }
    if (detail.type === 'reasoning.encrypted') last.encrypted = detail.data;
    else if (detail.type === 'reasoning.summary') last.summary.push({ type: 'summary_text', text: detail.summary });
    else last.content.push({ type: 'reasoning_text', text: detail.text });
  }
  return drafts
    .filter(({ id, content, encrypted }) => encrypted !== null || content.length > 0 || (stored && id !== undefined))
    .map(({ id, callId, summary, content, encrypted }) => ({
      callId,
      item: {
        type: 'reasoning',
        ...(id !== undefined && { id }),
        summary,
        ...(content.length > 0 && { content }),
        ...(encrypted !== null && { encrypted_content: encrypted }),
      },
    }));
}
