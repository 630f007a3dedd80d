import { hash } from 'node:crypto';
import type { ChatMessage, ChatRequest } from './chat-request.ts';
import type { UserHints } from '../json-schema/text-value.ts';
import { countTokens } from '../text/tokens.ts';

/** Tokens per message beside its text, and for the start of the response, as OpenAI counts them. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_ANSWER = 3;
/** The maximum UTF-16 units of all messages that are counted exactly: more than the context window. */
const MAX_EXACT_UNITS = 1024 * 1024;
/** The tokens of an image or an audio part of any size: its bytes are never read. */
const TOKENS_PER_ATTACHMENT = 85;
/** The number of characters of the user's last message that the response is based on. */
const READ_CHARACTERS = 4_000;
const COMMON_WORDS = new Set(
  'about above after again also because been before being between both cannot could does doing down during each from further have having here into itself just like make more most myself only other ours over please same should some such tell than that their them then there these they this those through under until very want were what when where which while whom will with would write your words word tokens token sentences paragraphs'.split(
    ' ',
  ),
);

/** The parts of the messages that the response is based on. */
export interface Conversation extends UserHints {
  /** The last message's role: a question, or a tool's result. */
  readonly lastRole: string;
  /** Results of tools since the last call, the newest last. */
  readonly toolResults: readonly { readonly name: string | null; readonly text: string }[];
  readonly attachments: Readonly<Record<'image' | 'sound' | 'file', number>>;
  /** Significant words, as the user wrote them. */
  readonly topics: readonly string[];
  readonly promptTokens: number;
  /** SHA-256 of all messages; the seed of every random choice. */
  readonly digest: string;
}

export function readConversation(request: ChatRequest): Conversation {
  const { messages } = request;
  const texts = messages.map(textOf);
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const question = (texts[lastUser] ?? texts.at(-1) ?? '').slice(0, READ_CHARACTERS).toWellFormed().trim();
  const words = question.match(/\p{L}[\p{L}\p{N}'’-]{2,}/gu) ?? [];
  const topics = words.filter((word) => word.length > 3 && !COMMON_WORDS.has(word.toLowerCase()));
  return {
    question,
    lastRole: messages.at(-1)?.role ?? 'user',
    toolResults: trailingResults(messages, texts),
    attachments: countAttachments(messages[lastUser]),
    topics: [...new Set(topics)].slice(0, 12),
    names: words.filter((word, index) => index > 0 && /^\p{Lu}/u.test(word) && !COMMON_WORDS.has(word.toLowerCase())),
    numbers: (question.match(/-?\d+(\.\d+)?/g) ?? []).map(Number).filter(Number.isFinite),
    promptTokens: promptTokens(request, texts),
    digest: hash('sha256', messages.map((message, index) => `${message.role}\n${texts[index]}`).join('\n\n')),
  };
}

function textOf(message: ChatMessage): string {
  if (typeof message.content === 'string') return message.content;
  const parts = (message.content ?? []).map((part) => part.text ?? part.refusal);
  return parts.filter((text) => typeof text === 'string').join('\n');
}

function trailingResults(messages: readonly ChatMessage[], texts: readonly string[]): Conversation['toolResults'] {
  const first = messages.findLastIndex((message) => message.role !== 'tool' && message.role !== 'function') + 1;
  const names = new Map<unknown, string>();
  for (const call of messages[first - 1]?.tool_calls ?? []) names.set(call.id, calledName(call));
  return messages.slice(first).map((message, index) => ({
    name: message.name ?? names.get(message.tool_call_id) ?? null,
    text: texts[first + index] ?? '',
  }));
}

function calledName(call: Readonly<Record<string, unknown>>): string {
  const called = call.function ?? call.custom;
  const name = typeof called === 'object' && called !== null && 'name' in called ? called.name : undefined;
  return typeof name === 'string' ? name : '';
}

function countAttachments(message: ChatMessage | undefined): Conversation['attachments'] {
  const types = Array.isArray(message?.content) ? message.content.map((part) => part.type) : [];
  const count = (type: string): number => types.filter((each) => each === type).length;
  return { image: count('image_url'), sound: count('input_audio'), file: count('file') };
}

function promptTokens(request: ChatRequest, texts: readonly string[]): number {
  let tokens = TOKENS_PER_ANSWER;
  let exactUnits = MAX_EXACT_UNITS;
  const count = (text: string): number => {
    const counted = countTokens(text, exactUnits);
    exactUnits = Math.max(0, exactUnits - text.length);
    return counted;
  };
  for (const [index, message] of request.messages.entries()) {
    tokens += TOKENS_PER_MESSAGE + count(texts[index] ?? '');
    if (message.tool_calls) tokens += count(JSON.stringify(message.tool_calls));
    for (const part of Array.isArray(message.content) ? message.content : []) {
      if (part.type !== 'text' && part.type !== 'refusal') tokens += TOKENS_PER_ATTACHMENT;
    }
  }
  for (const tool of [...(request.tools ?? []), ...(request.functions ?? [])]) tokens += declaredTokens(tool);
  return tokens;
}

/** A declaration that is nested too deeply to be serialized counts as nothing. */
export function declaredTokens(declaration: unknown): number {
  try {
    return countTokens(JSON.stringify(declaration));
  } catch (error) {
    if (error instanceof RangeError) return 0;
    throw error;
  }
}
