import { hash } from 'node:crypto';
import type { ChatRequest } from '../../../protocols/chat-completions/decode-request/schema.ts';

/** Providers cache no shorter prompts. Source: OpenAI's and Anthropic's guides to prompt caching. */
const MIN_CACHED_TOKENS = 1_024;
/** Of each text: the outline of a long body has no more of it, and escapes count as one character there. */
const READ_CHARACTERS = 512;
/** Texts of instructions and of the first user message. */
const MAX_TEXTS = 16;

/**
 * Identifies the conversation that a request continues: by its `prompt_cache_key`, else by the texts with which it begins, up to
 * the first user message.
 * @param inputTokens estimated
 * @returns null for a prompt that no provider caches
 */
export function conversationKey(request: ChatRequest, inputTokens: number): string | null {
  const { prompt_cache_key: named, messages } = request;
  if (named) return `key ${named.slice(0, READ_CHARACTERS)}`;
  if (inputTokens < MIN_CACHED_TOKENS) return null;
  const first = messages.findIndex(({ role }) => role === 'user');
  const beginning = first < 0 ? messages : messages.slice(0, first + 1);
  const texts = beginning.flatMap(({ content }) => textsOf(content)).slice(0, MAX_TEXTS);
  return `text ${hash('sha256', texts.map((text) => text.slice(0, READ_CHARACTERS)).join('\0'), 'base64')}`;
}

function textsOf(content: ChatRequest['messages'][number]['content']): readonly string[] {
  if (typeof content === 'string') return [content];
  return (content ?? []).flatMap((part) => ('text' in part && typeof part.text === 'string' ? [part.text] : []));
}
