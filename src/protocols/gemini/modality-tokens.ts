import type { Usage } from '../canonical/usage.ts';
import { countOf, membersOf, objectsOf } from '../canonical/json-members.ts';

/**
 * Reads Google's audio and image token counts; other modalities cost the same as text.
 * Source: ai.google.dev/api/generate-content, UsageMetadata and ModalityTokenCount.
 */
export function modalityTokens(usageMetadata: unknown): Partial<Usage> {
  const usage = membersOf(usageMetadata);
  const input = usage.promptTokensDetails;
  const output = usage.candidatesTokensDetails;
  return {
    audioInputTokens: tokensOf('AUDIO', input),
    audioOutputTokens: tokensOf('AUDIO', output),
    imageInputTokens: tokensOf('IMAGE', input),
    imageOutputTokens: tokensOf('IMAGE', output),
  };
}

function tokensOf(wantedModality: 'AUDIO' | 'IMAGE', details: unknown): number {
  let tokens = 0;
  for (const { modality, tokenCount } of objectsOf(details))
    if (modality === wantedModality) tokens += countOf(tokenCount) ?? 0;
  return tokens;
}
