import { isDeepStrictEqual } from 'node:util';
import type { ModelRecord } from '../model-record.ts';
import type { TokenRates } from '../prices/token-rates.ts';

const [GEMINI_API_PREFIX, VERTEX_AI_PREFIX] = ['gemini/', 'google-vertex/'];

/** Data missing in the first source is copied from the second: complete models, and members of a model's rates. */
export function mergeModels(first: readonly ModelRecord[], second: readonly ModelRecord[]): ModelRecord[] {
  const merged = new Map(first.map((model) => [model.id, model]));
  for (const model of second) {
    const known = merged.get(model.id);
    merged.set(model.id, known === undefined ? model : withRatesOf(known, model));
  }
  return withRatesOfEquivalents(merged);
}

/**
 * Google serves the same models on two platforms. Where both have the same price of text, images and audio have the
 * same price too, though no source states it.
 */
function withRatesOfEquivalents(models: ReadonlyMap<string, ModelRecord>): ModelRecord[] {
  return [...models.values()].map((model) => {
    const { id, rates } = model;
    const equivalent = id.startsWith(VERTEX_AI_PREFIX)
      ? models.get(GEMINI_API_PREFIX + id.slice(VERTEX_AI_PREFIX.length))?.rates
      : null;
    if (!rates || !equivalent || rates.input !== equivalent.input || rates.output !== equivalent.output) return model;
    const { audioInput, audioOutput, imageInput, imageOutput } = equivalent;
    const special = Object.entries({ audioInput, audioOutput, imageInput, imageOutput });
    const missing = special.filter(([name, rate]) => rate !== undefined && !Object.hasOwn(rates, name));
    return missing.length === 0 ? model : { ...model, rates: { ...rates, ...Object.fromEntries(missing) } };
  });
}

function withRatesOf(known: ModelRecord, other: ModelRecord): ModelRecord {
  if (other.rates === null) return known;
  if (known.rates === null) return { ...known, rates: other.rates, priceVersion: other.priceVersion };
  const rates = withMissingRates(known.rates, other.rates);
  if (Object.keys(rates).length === Object.keys(known.rates).length) return known;
  return { ...known, rates, priceVersion: `${known.priceVersion}+${other.priceVersion}` };
}

/** The price of text, by input length. */
function textPrices({ tiers = [], ...base }: TokenRates): unknown {
  return [{ ...base, aboveTokens: 0 }, ...tiers].map(({ aboveTokens, input, output }) => [aboveTokens, input, output]);
}

/**
 * Rates of kinds that the first source does not have. Its text prices are complete: none is copied, except those of
 * caches with a lifetime of one hour.
 */
function withMissingRates(known: TokenRates, other: TokenRates): TokenRates {
  const { audioInput, audioOutput, imageInput, imageOutput, request, units, cacheWrite1h, serviceTiers } = other;
  const sameWrite = known.cacheWrite !== undefined && known.cacheWrite === other.cacheWrite;
  // Where both sources have the same price for a model, they have the same service tiers too.
  const alike = isDeepStrictEqual(textPrices(known), textPrices(other));
  const missing = { audioInput, audioOutput, imageInput, imageOutput, request, units, ...(alike && { serviceTiers }) };
  const candidates = { ...missing, ...(sameWrite && { cacheWrite1h }), ...known };
  return { ...known, ...Object.fromEntries(Object.entries(candidates).filter(([, rate]) => rate !== undefined)) };
}
