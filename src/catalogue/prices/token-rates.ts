import type { MediaUse, UnitPrice } from './unit-price.ts';

/** The rates of a model, as decimal strings. Stored with every request, so that its cost can always be explained. */
export interface TokenRates extends TieredRates {
  /** The only tier in rows of the first version. */
  readonly longInput?: RateTier;
  /** USD per request with any usage, in addition to its tokens. */
  readonly request?: string;
  /** Rates of a request that the provider served in another service tier, as reported in its response. */
  readonly serviceTiers?: Readonly<Partial<Record<ServiceTier, TieredRates>>>;
  /** Prices of media: images, seconds, characters. */
  readonly units?: readonly UnitPrice[];
}

/**
 * Service tiers other than the default. `priority` is faster and more expensive, `flex` slower and cheaper, `batch` is a
 * provider's batch API.
 */
export const serviceTiers = ['priority', 'flex', 'batch'] as const;
export type ServiceTier = (typeof serviceTiers)[number];

export interface TieredRates extends RateBand {
  /** Rates of a complete request, including its output, by the length of its input. The bounds ascend. */
  readonly tiers?: readonly RateTier[];
}

export interface RateTier extends RateBand {
  /** Applies above this number of input tokens. */
  readonly aboveTokens: number;
}

/** USD per 1,000,000 tokens. */
export interface RateBand {
  readonly input: string;
  readonly output: string;
  /** Input read from the provider's cache; defaults to the input rate. */
  readonly cachedInput?: string;
  /** Input written to the provider's cache for minutes; defaults to the input rate. */
  readonly cacheWrite?: string;
  /** Input written to the provider's cache for an hour; defaults to the rate for minutes. */
  readonly cacheWrite1h?: string;
  /** Reasoning output; defaults to the output rate. */
  readonly reasoning?: string;
  /** Defaults to the input rate. */
  readonly audioInput?: string;
  /** Defaults to the output rate. */
  readonly audioOutput?: string;
  /** Tokens of input images; defaults to the input rate. */
  readonly imageInput?: string;
  /** Tokens of output images; defaults to the output rate. */
  readonly imageOutput?: string;
}

/** The rates of a service tier, by input length too; null if the model has no other rates for it. */
export function ratesOfTier(rates: TokenRates, tier: ServiceTier): TokenRates | null {
  const { serviceTiers: others, request, units } = rates;
  const band = others?.[tier];
  return band === undefined ? null : { ...band, ...(request !== undefined && { request }), ...(units && { units }) };
}

/** Tokens as OpenAI counts them: each special kind is included in the input or the output. */
export interface PricedTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Included in the input. */
  readonly cachedTokens: number;
  /** Included in the output. */
  readonly reasoningTokens: number;
  /** Included in the input: written to the provider's cache. */
  readonly cacheWriteTokens: number;
  /** Included in `cacheWriteTokens`: stored for an hour. */
  readonly cacheWrite1hTokens: number;
  /** Included in the input. */
  readonly audioInputTokens: number;
  /** Included in the output. */
  readonly audioOutputTokens: number;
  /** Included in the input. */
  readonly imageInputTokens: number;
  /** Included in the output. */
  readonly imageOutputTokens: number;
  /** How many calls of the provider it was, each with the fee of a request; 1 if absent. */
  readonly calls?: number;
  /** The input of the longest of several calls, by which the rates of all are chosen; all input if absent. */
  readonly longestInput?: number;
  /** Media usage. */
  readonly media?: readonly MediaUse[];
  /** The service tier that the provider used, if it is not the default. */
  readonly serviceTier?: ServiceTier;
  /** The model that responded, by the provider's name. In a record: present if its price was used. */
  readonly servedModel?: string;
}

/** The usage of a request beyond its four token counts. Stored as JSON; members without usage are omitted. */
export type UsageUnits = Partial<
  Pick<
    PricedTokens,
    | 'cacheWriteTokens'
    | 'cacheWrite1hTokens'
    | 'audioInputTokens'
    | 'audioOutputTokens'
    | 'imageInputTokens'
    | 'imageOutputTokens'
    | 'calls'
    | 'longestInput'
    | 'media'
    | 'serviceTier'
    | 'servedModel'
  >
>;
