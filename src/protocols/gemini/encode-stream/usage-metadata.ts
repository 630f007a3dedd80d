import type { Usage } from '../../canonical/usage.ts';

/** Google counts thoughts beside the output. Source: ai.google.dev/api/generate-content, UsageMetadata. */
export function usageMetadata(usage: Usage | null): object {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, reasoningTokens = 0 } = usage ?? {};
  // Some providers report more reasoning than output.
  const thoughts = Math.min(reasoningTokens, outputTokens);
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens - thoughts,
    totalTokenCount: inputTokens + outputTokens,
    ...(cachedTokens > 0 && { cachedContentTokenCount: cachedTokens }),
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
  };
}
