import { hash } from 'node:crypto';
import { isObject, listOf, objectsOf, textOf, type JsonObject } from '../../../protocols/canonical/json-members.ts';
import type { ChatRequest } from '../../../protocols/chat-completions/decode-request/schema.ts';
import { cacheMark } from '../../../protocols/messages/encode-request/content-blocks.ts';

/** Providers cache no shorter prompts. Source: OpenAI's and Anthropic's guides to prompt caching. */
const MIN_CACHED_TOKENS = 1_024;
/** Of each text: the outline of a long body has no more of it, and escapes count as one character there. */
const READ_CHARACTERS = 512;
/** Texts of instructions, and of the first user message. */
const MAX_TEXTS = 16;

/**
 * Identifies the conversation that a request continues: by its `prompt_cache_key`, else by the texts with which it begins, up to
 * the first user message.
 * @param inputTokens estimated
 * @param beginning as `markedBeginning`; that of the chat if absent
 * @returns null for a prompt that no provider caches
 */
export function conversationKey(
  request: ChatRequest,
  inputTokens: number,
  beginning?: readonly string[] | null,
): string | null {
  const { prompt_cache_key: named, messages } = request;
  if (named) return `key ${named.slice(0, READ_CHARACTERS)}`;
  if (inputTokens < MIN_CACHED_TOKENS) return null;
  const texts = (beginning ?? beginningOf(messages)).slice(0, MAX_TEXTS);
  return `text ${hash('sha256', texts.map((text) => text.slice(0, READ_CHARACTERS)).join('\0'), 'base64')}`;
}

/**
 * The texts with which a prompt of the Messages API begins: its instructions and its first user message, each up to its last
 * `cache_control`. What follows a mark changes from turn to turn, such as the time of day.
 * @returns null where neither has a mark
 */
export function markedBeginning(system: unknown, messages: unknown): readonly string[] | null {
  const first = listOf(messages).find((each) => isObject(each) && each.role === 'user');
  const parts = [partsOf(system), partsOf(isObject(first) ? first.content : null)];
  return parts.some((each) => each.some(isMarked)) ? parts.flatMap(textsToMark) : null;
}

function beginningOf(messages: ChatRequest['messages']): readonly string[] {
  const first = messages.findIndex(({ role }) => role === 'user');
  const end = first < 0 ? messages.length : first;
  const instructions = messages.slice(0, end).flatMap(partsOfMessage);
  const user = messages[end];
  return [...textsToMark(instructions), ...(user === undefined ? [] : textsToMark(partsOfMessage(user)))];
}

/** A mark on a message applies to its end. */
function partsOfMessage(message: ChatRequest['messages'][number]): readonly JsonObject[] {
  const parts = partsOf(message.content);
  const last = parts.at(-1);
  return last === undefined || !isMarked(message) ? parts : [...parts.slice(0, -1), { ...last, ...cacheMark(message) }];
}

function partsOf(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ text: content }] : objectsOf(content);
}

/** All texts where none is marked. */
function textsToMark(parts: readonly JsonObject[]): readonly string[] {
  const last = parts.findLastIndex(isMarked);
  const read = last < 0 ? parts : parts.slice(0, last + 1);
  return read.flatMap(({ text }) => textOf(text) ?? []);
}

function isMarked(of: object): boolean {
  return cacheMark(of).cache_control !== undefined;
}
