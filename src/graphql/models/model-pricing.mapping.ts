import type { RateBand, RateTier } from '../../catalogue/prices/token-rates.ts';
import { unitsPerPrice } from '../../catalogue/prices/unit-price.ts';
import type { ModelPricing as Pricing } from '../../gateway/keys/model-directory.ts';
import type { ModelPricing, PriceTier } from './model.types.ts';

export function toModelPricing(pricing: Pricing): ModelPricing {
  const { tiers = [], serviceTiers = {}, request, units = [], version } = pricing;
  return {
    ...toTokenPrices(pricing),
    tiers: tiers.map(toPriceTier),
    serviceTiers: Object.entries(serviceTiers).map(([serviceTier, rates]) => ({
      ...toTokenPrices(rates),
      serviceTier,
      tiers: (rates.tiers ?? []).map(toPriceTier),
    })),
    request: request ?? null,
    units: units.map(({ unit, price, size, quality, minimum }) => ({
      unit,
      price,
      per: unitsPerPrice[unit],
      size: size ?? null,
      quality: quality ?? null,
      minimum: minimum ?? null,
    })),
    version,
  };
}

function toPriceTier(tier: RateTier): PriceTier {
  return { ...toTokenPrices(tier), aboveTokens: tier.aboveTokens };
}

function toTokenPrices(band: RateBand): Omit<PriceTier, 'aboveTokens'> {
  return {
    input: band.input,
    output: band.output,
    cachedInput: band.cachedInput ?? null,
    cacheWrite: band.cacheWrite ?? null,
    cacheWrite1h: band.cacheWrite1h ?? null,
    reasoning: band.reasoning ?? null,
    audioInput: band.audioInput ?? null,
    audioOutput: band.audioOutput ?? null,
    imageInput: band.imageInput ?? null,
    imageOutput: band.imageOutput ?? null,
  };
}
