import { isObject } from '../fault.ts';
import { tokensUsed, type TokenUsage } from '../capability.ts';
import { STREAM_STEP_TOKENS } from '../../metering.ts';
import type { ChatRequest } from './schema.ts';

/** Of a model whose own bound is not known. */
const MAX_ANSWER_TOKENS = 131_072;
/** A picture comes to as many at most: gpt-4o-mini counts 48,169 for the largest that it takes. */
const MAX_IMAGE_TOKENS = 50_000;
/** A page of a document comes to a few thousand tokens and to some ten thousand bytes at least. */
const BYTES_PER_FILE_TOKEN = 3;
/** So many characters of base64 say a byte. */
const CHARACTERS_PER_BYTE = 4 / 3;
/** Searches of the web that an answer rests on: providers make one to a few unless a prompt asks for more. */
const MAX_SEARCHES = 10;
/** Of xAI's, which are sold by what they find. Source: https://docs.x.ai/docs/guides/live-search, `max_search_results`. */
const DEFAULT_SOURCES = 20;
const MAX_SOURCES = 50;

/**
 * The most that a chat can use: a token holds at least a byte of text. A stream without `max_completion_tokens` begins with
 * one step, and takes more as it goes on.
 */
export function maxChatUsage(request: ChatRequest, ceiling: number | null): TokenUsage {
  const bound = boundOf(request);
  const longest = ceiling ?? MAX_ANSWER_TOKENS;
  const answer = bound ?? (request.stream === true ? Math.min(STREAM_STEP_TOKENS, longest) : longest);
  const { messages, tools, functions, response_format } = request;
  const input = mostTokens([messages, tools ?? null, functions ?? null, response_format ?? null]);
  const used = tokensUsed(input, answer * (request.n ?? 1));
  const searches = mostSearches(request);
  return searches === 0 ? used : { ...used, media: [{ unit: 'search', quantity: searches }] };
}

/** Searches, or what they find, whichever is sold. */
function mostSearches(request: ChatRequest): number {
  const { search_parameters: live } = request;
  if (isObject(live)) {
    const asked = live.max_search_results;
    return typeof asked === 'number' && asked >= 1 ? Math.min(asked, MAX_SOURCES) : DEFAULT_SOURCES;
  }
  return request.web_search_options ? MAX_SEARCHES : 0;
}

/** Whether its caller said how long its answer may be. */
export function isBoundedChat(request: ChatRequest): boolean {
  return boundOf(request) !== null;
}

function boundOf({ max_completion_tokens: bound, max_tokens: older }: ChatRequest): number | null {
  return bound ?? older ?? null;
}

/** Of any JSON: its texts and names, and what stands for a picture, a recording or a file by what it can come to. */
function mostTokens(value: unknown): number {
  if (typeof value === 'string') return textTokens(value);
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + mostTokens(item), 1);
  if (!isObject(value)) return 1;
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + attached(name, item), 1);
}

function attached(name: string, value: unknown): number {
  if (typeof value !== 'string') return mostTokens(value);
  if (name === 'url') return MAX_IMAGE_TOKENS;
  if (name === 'data' || name === 'file_data')
    return Math.max(MAX_IMAGE_TOKENS, value.length / CHARACTERS_PER_BYTE / BYTES_PER_FILE_TOKEN);
  return textTokens(value);
}

function textTokens(text: string): number {
  return Buffer.byteLength(text);
}
