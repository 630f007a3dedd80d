import { constantFrom, integer, option, record, type Arbitrary } from 'fast-check';
import type { PricedTokens, RateBand, TokenRates } from '../../../src/catalogue/prices/token-rates.ts';

const rate: Arbitrary<string> = record({
  whole: integer({ min: 0, max: 1_000 }),
  places: integer({ min: 0, max: 12 }),
  digits: integer({ min: 0, max: 2 ** 31 - 1 }),
}).map(({ whole, places, digits }) =>
  places === 0 ? `${whole}` : `${whole}.${String(digits).padStart(places, '0').slice(0, places)}`,
);
const optional = option(rate, { nil: undefined });

export const band: Arbitrary<RateBand> = record({
  input: rate,
  output: rate,
  cachedInput: optional,
  cacheWrite: optional,
  cacheWrite1h: optional,
  reasoning: optional,
  audioInput: optional,
  audioOutput: optional,
  imageInput: optional,
  imageOutput: optional,
});

/** Of one band, or of two or three by the length of the input. */
export const rates: Arbitrary<TokenRates> = record({
  base: band,
  long: option(record({ band, aboveTokens: integer({ min: 0, max: 300_000 }) }), { nil: undefined }),
  longer: option(record({ band, aboveTokens: integer({ min: 300_001, max: 900_000 }) }), { nil: undefined }),
  request: optional,
}).map(({ base, long, longer, request }) => {
  const tiers = [longer, long].flatMap((tier) => (tier ? [{ ...tier.band, aboveTokens: tier.aboveTokens }] : []));
  return { ...base, ...(tiers.length > 0 && { tiers }), ...(request !== undefined && { request }) };
});

/** Tokens by their kinds, each counted once. */
export interface Kinds {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly audioInput: number;
  readonly imageInput: number;
  readonly output: number;
  readonly reasoning: number;
  readonly audioOutput: number;
  readonly imageOutput: number;
}

const tokens = integer({ min: 0, max: 400_000 });
const rareTokens = constantFrom(0, 0, 1, 999, 123_456);

export const kinds: Arbitrary<Kinds> = record({
  input: tokens,
  cachedInput: tokens,
  cacheWrite: rareTokens,
  cacheWrite1h: rareTokens,
  audioInput: rareTokens,
  imageInput: rareTokens,
  output: tokens,
  reasoning: tokens,
  audioOutput: rareTokens,
  imageOutput: rareTokens,
});

/** As OpenAI counts them: each kind within its total. */
export function counted(used: Kinds): PricedTokens {
  return {
    inputTokens:
      used.input + used.cachedInput + used.cacheWrite + used.cacheWrite1h + used.audioInput + used.imageInput,
    outputTokens: used.output + used.reasoning + used.audioOutput + used.imageOutput,
    cachedTokens: used.cachedInput,
    reasoningTokens: used.reasoning,
    cacheWriteTokens: used.cacheWrite + used.cacheWrite1h,
    cacheWrite1hTokens: used.cacheWrite1h,
    audioInputTokens: used.audioInput,
    audioOutputTokens: used.audioOutput,
    imageInputTokens: used.imageInput,
    imageOutputTokens: used.imageOutput,
  };
}

export const none: Kinds = {
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  imageInput: 0,
  output: 0,
  reasoning: 0,
  audioOutput: 0,
  imageOutput: 0,
};
