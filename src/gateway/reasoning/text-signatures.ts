import { createHash } from 'node:crypto';
import type { AssistantMessage, ChatMessage } from '../../protocols/canonical/generation-request.ts';
import { isSignatureOfText } from '../../protocols/canonical/reasoning-details.ts';

/** Maximum texts per request whose signatures are looked up. */
const MAX_TEXTS = 64;

/**
 * The name of a response's text, which has no id that a client returns. The message before it is part of the name: the
 * same short text may end several conversations.
 */
export function textKey(before: ChatMessage | undefined, text: string): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([before?.role ?? null, before === undefined ? '' : subjectOf(before), text]));
  return `text:${hash.digest('base64url')}`;
}

/** Responses without calls whose text may be signed, with their keys: the last ones where there are many. */
export function textsWithoutSignature(messages: readonly ChatMessage[]): [ChatMessage, string][] {
  const found: [ChatMessage, string][] = [];
  for (let index = messages.length - 1; index >= 0 && found.length < MAX_TEXTS; index--) {
    const message = messages[index];
    if (message?.role !== 'assistant' || Boolean(message.tool_calls?.length) || hasSignature(message)) continue;
    const text = textOf(message);
    if (text !== '') found.push([message, textKey(messages[index - 1], text)]);
  }
  return found;
}

function hasSignature({ reasoning_details: details }: AssistantMessage): boolean {
  return Array.isArray(details) && details.some(isSignatureOfText);
}

/** A result is named by its call, whose id is unique: agents shorten earlier results. */
function subjectOf(message: ChatMessage): string {
  return message.role === 'tool' ? message.tool_call_id : textOf(message);
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}
