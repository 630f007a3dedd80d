import { usedTools, type HostedToolUse, type Usage } from '../canonical/usage.ts';
import type { FinishReason, TokenLogprob, UrlCitation } from '../canonical/stream-part.ts';
import { countIn, isObject, membersOf, objectsOf, textIn, type JsonObject } from '../canonical/json-members.ts';

const MAX_MESSAGE_LENGTH = 2_000;

/**
 * Null if the response has none.
 * @param calls of hosted tools among the response's items
 *
 * Source: OpenAI's API document, ResponseUsage.
 */
export function usageOf(usage: unknown, calls: HostedToolUse): Usage | null {
  if (!isObject(usage)) return null;
  const input = membersOf(usage.input_tokens_details);
  const output = membersOf(usage.output_tokens_details);
  return {
    inputTokens: countIn(usage, 'input_tokens'),
    outputTokens: countIn(usage, 'output_tokens'),
    cachedTokens: countIn(input, 'cached_tokens'),
    cacheWriteTokens: countIn(input, 'cache_write_tokens'),
    reasoningTokens: countIn(output, 'reasoning_tokens'),
    hostedTools: usedTools(reportedCalls(usage.server_side_tool_usage_details) ?? calls),
  };
}

type CallCount = 'web_search_requests' | 'file_search_requests' | 'x_search_requests' | 'code_execution_requests';

/** The calls of hosted tools among items that providers bill. */
export function hostedCalls(items: readonly JsonObject[]): HostedToolUse {
  const counts = new Map<CallCount, number>();
  for (const item of items) {
    const name = billedCall(item);
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/**
 * Which call an item is, where it is billed: opening a page of the results of a web search, or searching within one, is not.
 * Source: OpenAI's API document, WebSearchToolCall; developers.openai.com/api/docs/guides/tools-web-search, "Output".
 */
function billedCall({ type, action }: JsonObject): CallCount | null {
  switch (type) {
    case 'web_search_call':
      return (membersOf(action).type ?? 'search') === 'search' ? 'web_search_requests' : null;
    case 'file_search_call':
      return 'file_search_requests';
    case 'x_search_call':
      return 'x_search_requests';
    case 'code_interpreter_call':
      return 'code_execution_requests';
    default:
      return null;
  }
}

/**
 * The calls that xAI bills, which are those that succeeded; null where a provider reports none. Source:
 * docs.x.ai/developers/tools/tool-usage-details; recorded responses.
 */
function reportedCalls(details: unknown): HostedToolUse | null {
  if (!isObject(details)) return null;
  return {
    web_search_requests: countIn(details, 'web_search_calls'),
    x_search_requests: countIn(details, 'x_search_calls'),
    code_execution_requests: countIn(details, 'code_interpreter_calls'),
    file_search_requests: countIn(details, 'file_search_calls'),
    document_search_requests: countIn(details, 'document_search_calls'),
  };
}

/** The finish reason of a response that did not fail. `called`: whether it contains a call. */
export function finishReason(response: JsonObject, incomplete: boolean, called: boolean): FinishReason {
  const { incomplete_details: details } = response;
  const reason = isObject(details) ? textIn(details, 'reason') : '';
  if (reason === 'content_filter') return 'content_filter';
  // Any other reason: the response is incomplete.
  if (incomplete || reason === 'max_output_tokens') return 'length';
  return called ? 'tool_calls' : 'stop';
}

/** In chat's format; deltas omit the bytes. Source: OpenAI's API document, LogProb. */
export function tokenLogprobs(value: unknown): TokenLogprob[] {
  return objectsOf(value).map((token) => ({
    ...tokenLogprob(token),
    top_logprobs: objectsOf(token.top_logprobs).map(tokenLogprob),
  }));
}

function tokenLogprob(token: JsonObject): Omit<TokenLogprob, 'top_logprobs'> {
  return {
    token: textIn(token, 'token'),
    logprob: typeof token.logprob === 'number' ? token.logprob : 0,
    bytes: Array.isArray(token.bytes) ? token.bytes.filter((byte) => typeof byte === 'number') : null,
  };
}

/**
 * An annotation with a URL, which chat supports. Citations of files by id are omitted.
 * @param before characters of the content before the part that the annotation counts in
 */
export function citationOf(annotation: unknown, before: number): UrlCitation | null {
  if (!isObject(annotation) || textIn(annotation, 'url') === '') return null;
  const { start_index: start, end_index: end } = annotation;
  const hasRange = typeof start === 'number' && typeof end === 'number';
  return {
    url: textIn(annotation, 'url'),
    title: textIn(annotation, 'title'),
    startIndex: hasRange ? before + start : 0,
    endIndex: hasRange ? before + end : 0,
  };
}

export interface ReportedError {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
}

/**
 * An `error` event, with members of its own or in its `error`, or the `error` of a failed response. Source: OpenAI's
 * API document, ResponseErrorEvent, ResponseError; recorded responses.
 */
export function errorOf(value: unknown): ReportedError {
  const reported = membersOf(value);
  const { type, code } = reported;
  return {
    message: textIn(reported, 'message').slice(0, MAX_MESSAGE_LENGTH) || 'The provider reported an error.',
    type: typeof type === 'string' && type !== 'error' ? type : 'server_error',
    code: typeof code === 'string' || typeof code === 'number' ? String(code) : null,
  };
}

/** An image's data: URL; null while there is none. Source: OpenAI's API document, ImageGenToolCall. */
export function imageOf(item: JsonObject): string | null {
  const data = textIn(item, 'result');
  return data === '' ? null : `data:image/${textIn(item, 'output_format') || 'png'};base64,${data}`;
}
