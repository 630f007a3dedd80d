/**
 * Units of media, and of other usage that is not priced by tokens. `character`: of spoken text. `megapixel`: 1,000,000
 * pixels of a generated image. `search`: a query with up to 100 documents to rank, or a web search. `document`: one
 * text to embed or to rank. The last four are calls of tools that the provider runs: `file_search` searches stored files,
 * `document_search` those in the request.
 */
export const mediaUnits = [
  'image',
  'megapixel',
  'audio_second',
  'video_second',
  'character',
  'search',
  'document',
  'file_search',
  'document_search',
  'x_search',
  'code_execution',
] as const;
export type MediaUnit = (typeof mediaUnits)[number];

/** The number of units that a price is for, as providers publish it: prices stay the published decimals. */
export const unitsPerPrice: Readonly<Record<MediaUnit, number>> = {
  image: 1,
  megapixel: 1,
  audio_second: 60,
  video_second: 1,
  character: 1_000_000,
  search: 1,
  document: 1,
  file_search: 1,
  document_search: 1,
  x_search: 1,
  code_execution: 1,
};

/**
 * Prices of media. For a model with token rates, images and audio are priced by their tokens, not in addition to them.
 */
export interface UnitPrice {
  readonly unit: MediaUnit;
  /**
   * USD as a decimal, per image, megapixel, minute of audio, second of video, 1,000,000 characters, search, document or call.
   */
  readonly price: string;
  /** `1024x1024`; for a search the context size: `low`, `medium`, `high`. Absent: any other. */
  readonly size?: string;
  /** `hd`, `low` ...; `source`: a page that a search used, where pages are billed. Absent: any other. */
  readonly quality?: string;
  /** The minimum quantity billed for a request that uses the unit. */
  readonly minimum?: number;
}

/** The media usage of a request. */
export interface MediaUse {
  readonly unit: MediaUnit;
  /** Images, megapixels, seconds, characters, searches, documents or calls, to three decimal places. */
  readonly quantity: number;
  readonly size?: string;
  readonly quality?: string;
}

/** The billed quantity. */
export function paidQuantity({ minimum = 0 }: Pick<UnitPrice, 'minimum'>, { quantity }: MediaUse): number {
  return quantity === 0 ? 0 : Math.max(quantity, minimum);
}

/** The price that matches the most properties of the usage; undefined if the model has no price for the unit. */
export function priceOf<Price extends UnitPrice>(prices: readonly Price[], use: MediaUse): Price | undefined {
  let best: Price | undefined;
  let bestMatch = -1;
  for (const price of prices) {
    if (price.unit !== use.unit) continue;
    const match = matchOf(price.size, use.size, 1) + matchOf(price.quality, use.quality, 2);
    if (match > bestMatch) {
      best = price;
      bestMatch = match;
    }
  }
  return best;
}

/** Negative if the price does not apply. */
function matchOf(priced: string | undefined, used: string | undefined, weight: number): number {
  if (priced === undefined) return 0;
  return priced === used ? weight : -4;
}
