import type { CompiledRates } from './price.ts';
import type { MediaUse } from './unit-price.ts';

/** The longest default duration of any provider: 4 s at OpenAI, 5 s at most others, 8 s at Google. */
const MAX_DEFAULT_SECONDS = 10;

/**
 * The maximum media usage of a video.
 * @param seconds as requested; null if the provider chooses
 */
export function maxVideoUse(seconds: number | null, size: string | null): MediaUse {
  return { unit: 'video_second', quantity: seconds ?? MAX_DEFAULT_SECONDS, ...(size !== null && { size }) };
}

/** Media without a size or a quality, or with one that has no price, may be generated at any priced one. */
export function maxCostUsage({ units }: CompiledRates, use: MediaUse): MediaUse {
  const rotated = use.size?.split('x').toReversed().join('x');
  const priced = units.filter(({ unit }) => unit === use.unit);
  const ofSize = priced.filter(({ size }) => size !== undefined && (size === use.size || size === rotated));
  const sized = ofSize.length === 0 ? priced : ofSize;
  const ofQuality = sized.filter(({ quality }) => quality !== undefined && quality === use.quality);
  const [mostExpensive] = (ofQuality.length === 0 ? sized : ofQuality).toSorted((a, b) => (a.rate < b.rate ? 1 : -1));
  if (mostExpensive === undefined) return use;
  const { size, quality } = mostExpensive;
  return { unit: use.unit, quantity: use.quantity, ...(size && { size }), ...(quality && { quality }) };
}
