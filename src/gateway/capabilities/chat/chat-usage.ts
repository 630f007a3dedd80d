import type { TokenUsage } from '../capability.ts';

/** Reads OpenAI's `usage` object; null where it is missing or no believable count. Source: CompletionUsage of OpenAI's API document. */
export function readChatUsage(value: unknown): TokenUsage | null {
  if (!isRecord(value)) return null;
  const inputTokens = count(value.prompt_tokens);
  const outputTokens = count(value.completion_tokens);
  if (inputTokens === null || outputTokens === null) return null;
  const inputDetails = isRecord(value.prompt_tokens_details) ? value.prompt_tokens_details : null;
  const outputDetails = isRecord(value.completion_tokens_details) ? value.completion_tokens_details : null;
  return {
    inputTokens,
    outputTokens,
    cachedTokens: Math.min(inputTokens, count(inputDetails?.cached_tokens) ?? 0),
    reasoningTokens: Math.min(outputTokens, count(outputDetails?.reasoning_tokens) ?? 0),
  };
}

/** A finish reason as far as it can be one: it is kept, and a database does not take every text. */
export function readFinishReason(value: unknown): string | null {
  return typeof value === 'string' && /^\w{1,64}$/.test(value) ? value : null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Larger counts are a fault of the provider's, and do not fit the columns they go to. */
const MOST_TOKENS = 2_000_000_000;

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS ? value : null;
}
