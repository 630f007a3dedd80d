/**
 * How media are counted, and what else is not sold by tokens. `character`: of text that is spoken. `megapixel`: 1,000,000 pixels
 * of a picture made. `search`: a query with up to 100 documents to rank, or one of the web. `document`: one text to embed or
 * to rank.
 */
export const mediaUnits = [
  'image',
  'megapixel',
  'audio_second',
  'video_second',
  'character',
  'search',
  'document',
] as const;
export type MediaUnit = (typeof mediaUnits)[number];

/** So many units does a price stand for, as providers have it: it stays the decimal that they publish. */
export const unitsPerPrice: Readonly<Record<MediaUnit, number>> = {
  image: 1,
  megapixel: 1,
  audio_second: 60,
  video_second: 1,
  character: 1_000_000,
  search: 1,
  document: 1,
};

/** What media cost. For a model with rates of tokens, pictures and sound are what those come to, not what is added. */
export interface UnitPrice {
  readonly unit: MediaUnit;
  /** USD, decimal, per image, megapixel, minute of audio, second of video, 1,000,000 characters, search or document. */
  readonly price: string;
  /** `1024x1024`; of a search, how much of what it found is read: `low`, `medium`, `high`. Absent: any other. */
  readonly size?: string;
  /** `hd`, `low` ...; `source`: a page that a search used, where those are sold. Absent: any other. */
  readonly quality?: string;
  /** So many of the unit are paid for at least, where a request uses any. */
  readonly minimum?: number;
}

/** What a request used of media. */
export interface MediaUse {
  readonly unit: MediaUnit;
  /** Images, megapixels, seconds, characters, searches, documents; counted to the thousandth. */
  readonly quantity: number;
  readonly size?: string;
  readonly quality?: string;
}

/** How many of the unit are paid for. */
export function paidQuantity({ minimum = 0 }: Pick<UnitPrice, 'minimum'>, { quantity }: MediaUse): number {
  return quantity === 0 ? 0 : Math.max(quantity, minimum);
}

/** The price that says most of what was used; undefined where the model has none of that unit. */
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

/** Below zero where it is the price of something else. */
function matchOf(priced: string | undefined, used: string | undefined, weight: number): number {
  if (priced === undefined) return 0;
  return priced === used ? weight : -4;
}
