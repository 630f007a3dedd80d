import type { ChatUsage, FinishReason, TokenLogprob, UrlCitation } from '../shared/chat-answer.ts';
import { count, isObject, objects, text, type Json } from './json-members.ts';

const LONGEST_MESSAGE = 2_000;

/** Null where the answer does not say. Source: OpenAI's API document, ResponseUsage. */
export function usageOf(usage: unknown): ChatUsage | null {
  if (!isObject(usage)) return null;
  const input = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const output = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return {
    inputTokens: count(usage.input_tokens),
    outputTokens: count(usage.output_tokens),
    cachedTokens: count(input.cached_tokens),
    cacheWriteTokens: count(input.cache_write_tokens),
    reasoningTokens: count(output.reasoning_tokens),
  };
}

/** Why an answer that did not fail ended. `called`: whether it asks for a call. */
export function finishReason(response: Json, incomplete: boolean, called: boolean): FinishReason {
  const { incomplete_details: details } = response;
  const reason = isObject(details) ? text(details, 'reason') : '';
  if (reason === 'content_filter') return 'content_filter';
  // Whatever else it was that cut it: the answer is not whole.
  if (incomplete || reason === 'max_output_tokens') return 'length';
  return called ? 'tool_calls' : 'stop';
}

/** In chat's form; deltas leave the bytes out. Source: OpenAI's API document, LogProb. */
export function tokenLogprobs(value: unknown): TokenLogprob[] {
  return objects(value).map((token) => ({
    ...tokenLogprob(token),
    top_logprobs: objects(token.top_logprobs).map(tokenLogprob),
  }));
}

function tokenLogprob(token: Json): Omit<TokenLogprob, 'top_logprobs'> {
  return {
    token: text(token, 'token'),
    logprob: typeof token.logprob === 'number' ? token.logprob : 0,
    bytes: Array.isArray(token.bytes) ? token.bytes.filter((byte) => typeof byte === 'number') : null,
  };
}

/**
 * An annotation that has a place in chat: one with a URL. Files are cited by ids, which chat does not know.
 * @param before characters of the content in front of the part that the annotation counts in
 */
export function citationOf(annotation: unknown, before: number): UrlCitation | null {
  if (!isObject(annotation) || text(annotation, 'url') === '') return null;
  const { start_index: start, end_index: end } = annotation;
  const placed = typeof start === 'number' && typeof end === 'number';
  return {
    url: text(annotation, 'url'),
    title: text(annotation, 'title'),
    startIndex: placed ? before + start : 0,
    endIndex: placed ? before + end : 0,
  };
}

export interface ReportedError {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
}

/**
 * An `error` event, whose members stand in it or in its `error`, or the `error` of a response that failed.
 * Source: OpenAI's API document, ResponseErrorEvent, ResponseError; recorded answers.
 */
export function errorOf(value: unknown): ReportedError {
  const told = isObject(value) ? value : {};
  const { type, code } = told;
  return {
    message: text(told, 'message').slice(0, LONGEST_MESSAGE) || 'The provider reported an error.',
    type: typeof type === 'string' && type !== 'error' ? type : 'server_error',
    code: typeof code === 'string' || typeof code === 'number' ? String(code) : null,
  };
}

/** A picture's data: URL; null while there is none. Source: OpenAI's API document, ImageGenToolCall. */
export function pictureOf(item: Json): string | null {
  const data = text(item, 'result');
  return data === '' ? null : `data:image/${text(item, 'output_format') || 'png'};base64,${data}`;
}
