import type { PricedTokens } from './token-rates.ts';

/** Kinds of tokens with a rate of their own. Each token has exactly one kind. */
export type TokenKind =
  | 'input'
  | 'cachedInput'
  | 'cacheWrite'
  | 'cacheWrite1h'
  | 'audioInput'
  | 'imageInput'
  | 'output'
  | 'reasoning'
  | 'audioOutput'
  | 'imageOutput';

/**
 * Splits both totals by kind, so that each token is counted once; kinds without tokens are omitted. Counts that exceed
 * their total are reduced in the order of this list: a cached audio token counts as cached.
 */
export function splitTokens(used: PricedTokens): { readonly kind: TokenKind; readonly tokens: number }[] {
  const cached = Math.min(used.cachedTokens, used.inputTokens);
  const written = Math.min(used.cacheWriteTokens, used.inputTokens - cached);
  const writtenLong = Math.min(used.cacheWrite1hTokens, written);
  const audioInput = Math.min(used.audioInputTokens, used.inputTokens - cached - written);
  const imageInput = Math.min(used.imageInputTokens, used.inputTokens - cached - written - audioInput);
  const reasoning = Math.min(used.reasoningTokens, used.outputTokens);
  const audioOutput = Math.min(used.audioOutputTokens, used.outputTokens - reasoning);
  const imageOutput = Math.min(used.imageOutputTokens, used.outputTokens - reasoning - audioOutput);
  const parts: { readonly kind: TokenKind; readonly tokens: number }[] = [
    { kind: 'input', tokens: used.inputTokens - cached - written - audioInput - imageInput },
    { kind: 'cachedInput', tokens: cached },
    { kind: 'cacheWrite', tokens: written - writtenLong },
    { kind: 'cacheWrite1h', tokens: writtenLong },
    { kind: 'audioInput', tokens: audioInput },
    { kind: 'imageInput', tokens: imageInput },
    { kind: 'output', tokens: used.outputTokens - reasoning - audioOutput - imageOutput },
    { kind: 'reasoning', tokens: reasoning },
    { kind: 'audioOutput', tokens: audioOutput },
    { kind: 'imageOutput', tokens: imageOutput },
  ];
  return parts.filter(({ tokens }) => tokens > 0);
}
