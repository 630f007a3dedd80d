import type { MediaUse } from '../../../catalogue/prices/unit-price.ts';
import type { HostedTool } from '../../../protocols/canonical/protocol.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { tokenUsage, type TokenUsage } from '../capability.ts';
import { STREAM_STEP_TOKENS } from '../../request-input.ts';
import type { ChatRequest } from '../../../protocols/chat-completions/decode-request/schema.ts';

/** For a model whose maximum output is not known. */
const MAX_ANSWER_TOKENS = 131_072;
/** The maximum tokens of an image: gpt-4o-mini counts 48,169 for the largest that it accepts. */
const MAX_IMAGE_TOKENS = 50_000;
/** A page of a document has a few thousand tokens and at least about ten thousand bytes. */
const BYTES_PER_FILE_TOKEN = 3;
/** Base64 characters per byte. */
const CHARACTERS_PER_BYTE = 4 / 3;
/** Calls of a hosted tool per response: providers make a few unless a prompt asks for more. */
const MAX_SEARCHES = 10;
/** xAI bills sources, not searches. Source: https://docs.x.ai/docs/guides/live-search, `max_search_results`. */
const DEFAULT_SOURCES = 20;
const MAX_SOURCES = 50;

/**
 * The maximum usage of a chat: a token is at least one byte of text. A stream without `max_completion_tokens` starts
 * with one step and reserves more as it runs.
 * @param hostedTools beside those of the chat
 */
export function maxChatUsage(
  request: ChatRequest,
  ceiling: number | null,
  hostedTools: readonly HostedTool[] = [],
): TokenUsage {
  const bound = boundOf(request);
  const longest = ceiling ?? MAX_ANSWER_TOKENS;
  const answer = bound ?? (request.stream === true ? Math.min(STREAM_STEP_TOKENS, longest) : longest);
  const input = maxInputTokens([request.messages, ...otherInput(request)]);
  const used = tokenUsage(input, answer * (request.n ?? 1));
  const searches = maxSearches(request);
  const others = hostedTools.filter((tool) => tool !== 'search' || searches === 0);
  const media: MediaUse[] = others.map((unit) => ({ unit, quantity: MAX_SEARCHES }));
  if (searches > 0) media.push({ unit: 'search', quantity: searches });
  return media.length === 0 ? used : { ...used, media };
}

/** The maximum usage of the calls of one request together. A provider that serves them as one call uses no more. */
export function maxUsageOfChats(
  chats: readonly ChatRequest[],
  ceiling: number | null,
  hostedTools: readonly HostedTool[] = [],
): TokenUsage {
  const used = chats.map((chat) => maxChatUsage(chat, ceiling, hostedTools));
  const [first] = used;
  if (first === undefined) throw new Error('a request without a chat');
  if (used.length === 1) return first;
  const total = (member: 'inputTokens' | 'outputTokens'): number => used.reduce((sum, each) => sum + each[member], 0);
  // The calls differ in their prompts alone.
  const media = first.media?.map((use) => ({ ...use, quantity: use.quantity * used.length }));
  return { ...tokenUsage(total('inputTokens'), total('outputTokens')), ...(media && { media }), calls: used.length };
}

/** Bytes of what the second of several chats and each after it repeat: everything that counts as input beside the messages. */
export function repeatedBytes([first, ...others]: readonly ChatRequest[]): number {
  const repeated = first === undefined ? [] : otherInput(first).filter((value) => value !== null);
  return others.length * repeated.reduce((sum: number, value) => sum + Buffer.byteLength(JSON.stringify(value)), 0);
}

/** What counts as input beside the messages. */
function otherInput({ tools, functions, response_format: format }: ChatRequest): readonly unknown[] {
  return [tools ?? null, functions ?? null, format ?? null];
}

/** Searches or sources, whichever is billed. */
function maxSearches(request: ChatRequest): number {
  const { search_parameters: live } = request;
  if (isObject(live)) {
    const requested = live.max_search_results;
    return typeof requested === 'number' && requested >= 1 ? Math.min(requested, MAX_SOURCES) : DEFAULT_SOURCES;
  }
  return request.web_search_options ? MAX_SEARCHES : 0;
}

/** Whether the client limited the output. */
export function isBoundedChat(request: ChatRequest): boolean {
  return boundOf(request) !== null;
}

function boundOf({ max_completion_tokens: bound, max_tokens: older }: ChatRequest): number | null {
  return bound ?? older ?? null;
}

/** Of any JSON value: its text and names, and the maximum of each image, recording or file. */
function maxInputTokens(value: unknown): number {
  if (typeof value === 'string') return textTokens(value);
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + maxInputTokens(item), 1);
  if (!isObject(value)) return 1;
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + maxAttachmentTokens(name, item), 1);
}

function maxAttachmentTokens(name: string, value: unknown): number {
  if (typeof value !== 'string') return maxInputTokens(value);
  if (name === 'url') return MAX_IMAGE_TOKENS;
  if (name === 'data' || name === 'file_data')
    return Math.max(MAX_IMAGE_TOKENS, value.length / CHARACTERS_PER_BYTE / BYTES_PER_FILE_TOKEN);
  return textTokens(value);
}

function textTokens(text: string): number {
  return Buffer.byteLength(text);
}
