import type { ChatUsage } from './chat-answer.ts';

/**
 * Reads Google's counts by modality, of sound and of pictures; other kinds cost what text does. Nothing where there are none.
 * Source: ai.google.dev/api/generate-content, UsageMetadata and ModalityTokenCount.
 */
export function modalityTokens(usageMetadata: unknown): Partial<ChatUsage> {
  const told = members(usageMetadata);
  const input = told.promptTokensDetails;
  const output = told.candidatesTokensDetails;
  return {
    audioInputTokens: tokensOf('AUDIO', input),
    audioOutputTokens: tokensOf('AUDIO', output),
    imageInputTokens: tokensOf('IMAGE', input),
    imageOutputTokens: tokensOf('IMAGE', output),
  };
}

function tokensOf(sought: 'AUDIO' | 'IMAGE', details: unknown): number {
  let tokens = 0;
  for (const detail of Array.isArray(details) ? details : []) {
    const { modality, tokenCount } = members(detail);
    const count = Number(tokenCount ?? 0);
    if (modality === sought && Number.isSafeInteger(count) && count > 0) tokens += count;
  }
  return tokens;
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
