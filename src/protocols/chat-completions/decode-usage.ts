import { countIn, isObject, membersOf } from '../canonical/json-members.ts';
import type { Usage } from '../canonical/usage.ts';
import { readHostedTools } from './observe-usage.ts';

/** Null unless it is OpenAI's `usage` object. Source: OpenAI's API document, CompletionUsage. */
export function decodeUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const input = membersOf(usage.prompt_tokens_details);
  const output = membersOf(usage.completion_tokens_details);
  return {
    inputTokens: countIn(usage, 'prompt_tokens'),
    outputTokens: countIn(usage, 'completion_tokens'),
    totalTokens: countIn(usage, 'total_tokens'),
    cachedTokens: countIn(input, 'cached_tokens'),
    cacheWriteTokens: countIn(input, 'cache_write_tokens'),
    cacheWrite1hTokens: countIn(input, 'cache_write_1h_tokens'),
    reasoningTokens: countIn(output, 'reasoning_tokens'),
    audioInputTokens: countIn(input, 'audio_tokens'),
    audioOutputTokens: countIn(output, 'audio_tokens'),
    imageInputTokens: countIn(input, 'image_tokens'),
    imageOutputTokens: countIn(output, 'image_tokens'),
    hostedTools: readHostedTools(usage) ?? undefined,
  };
}
