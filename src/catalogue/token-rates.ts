/** USD per 1,000,000 tokens, as decimal strings. Kept with every request, so that its cost can be explained for ever. */
export interface TokenRates extends RateBand {
  /** The rates of a whole request, its output included, whose input is longer than `aboveTokens`. */
  readonly longInput?: RateBand & { readonly aboveTokens: number };
}

export interface RateBand {
  readonly input: string;
  readonly output: string;
  /** Input read from the provider's cache; the input rate where absent. */
  readonly cachedInput?: string;
}

/** Tokens as OpenAI counts them: cached ones are part of the input, reasoning ones of the output. */
export interface PricedTokens {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
}
