import { createHash } from 'node:crypto';
import type { AssistantMessage, ChatMessage, ToolCall } from '../../protocols/canonical/generation-request.ts';
import { isObject } from '../../protocols/canonical/json-members.ts';

const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/;
const ID_LETTERS = 9;

/**
 * Messages in Mistral's format: no developer role, reasoning as `thinking` parts of the content, tool call ids of nine
 * letters. Source: https://docs.mistral.ai/api/ (chat completion), https://docs.mistral.ai/capabilities/reasoning/
 */
export function mistralMessages(messages: readonly ChatMessage[]): readonly unknown[] {
  let changed = false;
  const converted = messages.map((message) => {
    const rewritten = mistralMessage(message);
    if (rewritten !== message) changed = true;
    return rewritten;
  });
  return changed ? converted : messages;
}

function mistralMessage(message: ChatMessage): unknown {
  if (message.role === 'developer') return { role: 'system', content: message.content };
  if (message.role === 'user') return 'name' in message ? { role: 'user', content: message.content } : message;
  if (message.role === 'assistant') return assistantMessage(message);
  if (message.role !== 'tool' || MISTRAL_ID.test(message.tool_call_id)) return message;
  return { ...message, tool_call_id: mistralId(message.tool_call_id) };
}

/** The members that Mistral accepts: it rejects unknown ones. */
function assistantMessage(message: AssistantMessage): unknown {
  const { tool_calls: calls, prefix } = message;
  return {
    role: 'assistant',
    content: content(message),
    ...(calls && calls.length > 0 && { tool_calls: calls.map(mistralCall) }),
    ...(prefix !== undefined && { prefix }),
  };
}

function content(message: AssistantMessage): unknown {
  const content =
    typeof message.content === 'string' ? message.content : (message.content ?? []).map(partText).join('');
  const text = content === '' && typeof message.refusal === 'string' ? message.refusal : content;
  const reasoning = reasoningOf(message);
  if (reasoning === '') return text;
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: reasoning }] };
  return text === '' ? [thinking] : [thinking, { type: 'text', text }];
}

function partText(part: { readonly text?: unknown; readonly refusal?: unknown }): string {
  const text = part.text ?? part.refusal;
  return typeof text === 'string' ? text : '';
}

/** The reasoning, by whichever name the client sends it back; not reasoning that another provider signed. */
function reasoningOf({ reasoning_content: plain, reasoning, reasoning_details: details }: AssistantMessage): string {
  if (typeof plain === 'string') return plain;
  if (typeof reasoning === 'string') return reasoning;
  if (!Array.isArray(details)) return '';
  return details
    .filter((detail) => isObject(detail) && detail.type === 'reasoning.text' && detail.signature === undefined)
    .map(partText)
    .join('');
}

function mistralCall(call: ToolCall): ToolCall {
  return MISTRAL_ID.test(call.id) ? call : { ...call, id: mistralId(call.id) };
}

/** Deterministic: a call and its result get the same id. */
function mistralId(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, ID_LETTERS);
}
