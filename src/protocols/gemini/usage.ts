import type { Usage } from '../canonical/usage.ts';
import { modalityTokens } from './modality-tokens.ts';
import { countOf, objectOf } from '../canonical/json-members.ts';

/**
 * Google's token counts as OpenAI counts: thoughts are included in the output, the results of built-in tools in the
 * input, and cached tokens in the prompt. Null where there is no count yet, as in a stream's first events. Source:
 * ai.google.dev/api/generate-content, UsageMetadata.
 */
export function chatUsage(usageMetadata: unknown): Usage | null {
  const usage = objectOf(usageMetadata);
  const prompt = countOf(usage?.promptTokenCount);
  const candidates = countOf(usage?.candidatesTokenCount);
  const thoughts = countOf(usage?.thoughtsTokenCount);
  if (usage === null || (prompt ?? candidates ?? thoughts) === null) return null;
  return {
    inputTokens: (prompt ?? 0) + (countOf(usage.toolUsePromptTokenCount) ?? 0),
    outputTokens: (candidates ?? 0) + (thoughts ?? 0),
    cachedTokens: countOf(usage.cachedContentTokenCount) ?? 0,
    reasoningTokens: thoughts ?? 0,
    ...modalityTokens(usage),
  };
}
