/** Reads what a response reports of itself, from bytes that are forwarded as they are. */
import { isObject } from '../canonical/json-members.ts';
import { usedTools, type HostedToolUse, type Usage } from '../canonical/usage.ts';

/** Token counts of a response; 0 where the provider reports none. */
export type TokenCounts = Required<
  Pick<
    Usage,
    | 'inputTokens'
    | 'outputTokens'
    | 'cachedTokens'
    | 'reasoningTokens'
    | 'cacheWriteTokens'
    | 'cacheWrite1hTokens'
    | 'audioInputTokens'
    | 'audioOutputTokens'
    | 'imageInputTokens'
    | 'imageOutputTokens'
  >
>;

/** What a text search finds in a complete response. */
export interface ObservedResponse {
  /** The `usage` object. */
  readonly usage: unknown;
  readonly finishReason: string;
  readonly model: string | undefined;
  readonly serviceTier: string | undefined;
}

const contextSizes = ['low', 'medium', 'high'] as const;
const toolCounts = [
  'web_search_requests',
  'web_search_sources',
  'file_search_requests',
  'document_search_requests',
  'x_search_requests',
  'code_execution_requests',
] as const;

/** Larger counts are provider errors and do not fit the database columns. */
const MAX_COUNT = 2_000_000_000;

/** Unbounded repetition could exhaust the stack. */
const MAX_USAGE_CHARACTERS = 64 * 1024;
const usageMember = '"usage":';
/** An object of counts and of objects without further nesting. Python writes a space before it. */
const usageObject = /"usage": ?(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})/y;
const modelIn = /"model"\s*:\s*"([^"\\]+)"/;
const serviceTierIn = /"service_tier"\s*:\s*"(\w+)"/;
const finishReasonIn = /"finish_reason"\s*:\s*"(\w+)"/;

/**
 * Reads the token counts of OpenAI's `usage` object; null where it is missing or implausible. A detail larger than its
 * total is reduced to it. Source: CompletionUsage of OpenAI's API document; `cache_write_tokens` is reported by OpenAI
 * and OpenRouter, `cache_write_1h_tokens` is Sluice's own for the part cached for an hour.
 */
export function readTokenCounts(usage: unknown): TokenCounts | null {
  if (!isObject(usage)) return null;
  const inputTokens = count(usage.prompt_tokens);
  const outputTokens = count(usage.completion_tokens);
  if (inputTokens === null || outputTokens === null) return null;
  const inputDetails = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : null;
  const outputDetails = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : null;
  const cacheWriteTokens = part(inputDetails?.cache_write_tokens, inputTokens);
  return {
    inputTokens,
    outputTokens,
    cachedTokens: part(inputDetails?.cached_tokens, inputTokens),
    reasoningTokens: part(outputDetails?.reasoning_tokens, outputTokens),
    cacheWriteTokens,
    cacheWrite1hTokens: part(inputDetails?.cache_write_1h_tokens, cacheWriteTokens),
    audioInputTokens: part(inputDetails?.audio_tokens, inputTokens),
    audioOutputTokens: part(outputDetails?.audio_tokens, outputTokens),
    imageInputTokens: part(inputDetails?.image_tokens, inputTokens),
    imageOutputTokens: part(outputDetails?.image_tokens, outputTokens),
  };
}

/** Calls of hosted tools in a `usage` object; null where it reports none. */
export function readHostedTools(usage: unknown): HostedToolUse | null {
  const used = isObject(usage) ? usage.server_tool_use : null;
  if (!isObject(used)) return null;
  const contextSize = contextSizes.find((name) => name === used.search_context_size);
  const counts = Object.fromEntries(toolCounts.map((name) => [name, count(used[name]) ?? 0]));
  return usedTools({ ...counts, ...(contextSize !== undefined && { search_context_size: contextSize }) }) ?? null;
}

/**
 * Searches a complete response instead of parsing it. JSON escapes quotes inside strings, so that a model's text cannot
 * look like a member.
 * @param json as Latin-1 or UTF-16
 * @returns null where the usage or the finish reason is not found: the response has to be parsed
 */
export function observeResponse(json: string): ObservedResponse | null {
  const usage = lastUsage(json);
  const finishReason = finishReasonIn.exec(json)?.[1];
  if (usage === null || finishReason === undefined) return null;
  return { usage, finishReason, model: modelIn.exec(json)?.[1], serviceTier: serviceTierIn.exec(json)?.[1] };
}

/**
 * The last `usage` of a JSON text; null where it is not an object of counts and of objects of counts. The last of
 * duplicate members counts. It contains no text in which a brace could occur.
 */
export function lastUsage(json: string): unknown {
  const named = json.lastIndexOf(usageMember);
  if (named < 0) return null;
  usageObject.lastIndex = 0;
  const text = usageObject.exec(json.slice(named, named + MAX_USAGE_CHARACTERS))?.[1];
  if (text === undefined) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function part(value: unknown, total: number): number {
  return Math.min(total, count(value) ?? 0);
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT ? value : null;
}
