import type { Usage } from '../canonical/usage.ts';

/** Anthropic counts cache reads and writes in addition to the input. Source: platform.claude.com/docs/en/api/messages, Usage. */
export function messageUsage(usage: Usage | null): Record<string, unknown> {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  const searches = usage?.hostedTools?.web_search_requests;
  return {
    input_tokens: Math.max(0, inputTokens - cachedTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
    output_tokens_details: usage?.reasoningTokens ? { thinking_tokens: usage.reasoningTokens } : null,
    server_tool_use: searches === undefined ? null : { web_search_requests: searches, web_fetch_requests: 0 },
  };
}
