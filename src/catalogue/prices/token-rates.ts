import type { MediaUse, UnitPrice } from './unit-price.ts';

/** What a model costs, as decimal strings. Kept with every request, so that its cost can be explained for ever. */
export interface TokenRates extends TieredRates {
  /** The one tier that rows of the first version have. */
  readonly longInput?: RateTier;
  /** USD for each request that used anything, beside its tokens. */
  readonly request?: string;
  /** Rates of a whole request that the provider served in one of its other classes, as its answer says. */
  readonly serviceTiers?: Readonly<Partial<Record<ServiceTier, TieredRates>>>;
  /** What is not counted in tokens: images, seconds, characters. */
  readonly units?: readonly UnitPrice[];
}

/** Classes of service beside the usual one. `priority` is faster and dearer, `flex` slower and cheaper. */
export const serviceTiers = ['priority', 'flex'] as const;
export type ServiceTier = (typeof serviceTiers)[number];

export interface TieredRates extends RateBand {
  /** Rates of a whole request, its output included, by the length of its input. The bounds ascend. */
  readonly tiers?: readonly RateTier[];
}

export interface RateTier extends RateBand {
  /** From one more input token than this on. */
  readonly aboveTokens: number;
}

/** USD per 1,000,000 tokens. */
export interface RateBand {
  readonly input: string;
  readonly output: string;
  /** Input read from the provider's cache; the input rate where absent. */
  readonly cachedInput?: string;
  /** Input written to the provider's cache, kept for minutes; the input rate where absent. */
  readonly cacheWrite?: string;
  /** The same, kept for an hour; the rate of those kept for minutes where absent. */
  readonly cacheWrite1h?: string;
  /** Output that is reasoning; the output rate where absent. */
  readonly reasoning?: string;
  /** The input rate where absent. */
  readonly audioInput?: string;
  /** The output rate where absent. */
  readonly audioOutput?: string;
  /** Tokens of pictures given; the input rate where absent. */
  readonly imageInput?: string;
  /** Tokens of pictures made; the output rate where absent. */
  readonly imageOutput?: string;
}

/** Rates as they are for requests of that class, by the length of their input too; null where the model has no others for it. */
export function ratesOfTier(rates: TokenRates, tier: ServiceTier): TokenRates | null {
  const { serviceTiers: others, request, units } = rates;
  const band = others?.[tier];
  return band === undefined ? null : { ...band, ...(request !== undefined && { request }), ...(units && { units }) };
}

/** Tokens as OpenAI counts them: each special kind is part of the input or of the output. */
export interface PricedTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Part of the input. */
  readonly cachedTokens: number;
  /** Part of the output. */
  readonly reasoningTokens: number;
  /** Part of the input: written to the provider's cache. */
  readonly cacheWriteTokens: number;
  /** Part of `cacheWriteTokens`: kept for an hour. */
  readonly cacheWrite1hTokens: number;
  /** Part of the input. */
  readonly audioInputTokens: number;
  /** Part of the output. */
  readonly audioOutputTokens: number;
  /** Part of the input. */
  readonly imageInputTokens: number;
  /** Part of the output. */
  readonly imageOutputTokens: number;
  /** What is not counted in tokens. */
  readonly media?: readonly MediaUse[];
  /** How the provider served it, where not in the usual class. */
  readonly serviceTier?: ServiceTier;
  /** Which model the provider says it was, by the provider's own name. Of a record: where its price was taken for it. */
  readonly servedModel?: string;
}

/** What a request used beyond the four counts that each has. Kept with it in JSON; what was not used is left out. */
export type UsageUnits = Partial<
  Pick<
    PricedTokens,
    | 'cacheWriteTokens'
    | 'cacheWrite1hTokens'
    | 'audioInputTokens'
    | 'audioOutputTokens'
    | 'imageInputTokens'
    | 'imageOutputTokens'
    | 'media'
    | 'serviceTier'
    | 'servedModel'
  >
>;
