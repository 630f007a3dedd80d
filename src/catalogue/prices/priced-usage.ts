import type { PricedTokens } from './token-rates.ts';
import type { MediaUse } from './unit-price.ts';

/** Of tokens alone; what more was used is added. */
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

/** Of what is not counted in tokens alone. */
export function mediaUsage(media: readonly MediaUse[], inputTokens = 0, outputTokens = 0): PricedTokens {
  return { ...tokenUsage(inputTokens, outputTokens), media };
}
