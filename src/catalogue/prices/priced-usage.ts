import type { PricedTokens } from './token-rates.ts';
import type { MediaUse } from './unit-price.ts';

/** Usage of tokens; other usage is added by the caller. */
export function tokenUsage(inputTokens: number, outputTokens: number): PricedTokens {
  return {
    inputTokens,
    outputTokens,
    cachedTokens: 0,
    reasoningTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    audioInputTokens: 0,
    audioOutputTokens: 0,
    imageInputTokens: 0,
    imageOutputTokens: 0,
  };
}

/** Usage of media only. */
export function mediaUsage(media: readonly MediaUse[], inputTokens = 0, outputTokens = 0): PricedTokens {
  return { ...tokenUsage(inputTokens, outputTokens), media };
}
