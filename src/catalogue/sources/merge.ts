import { isDeepStrictEqual } from 'node:util';
import type { ModelRecord } from '../model-record.ts';
import type { TokenRates } from '../prices/token-rates.ts';

const [FIRST_SHOP, SECOND_SHOP] = ['gemini/', 'google-vertex/'];

/** What the first source lacks is taken from the second: whole models, and members of a model's rates. */
export function mergeModels(first: readonly ModelRecord[], second: readonly ModelRecord[]): ModelRecord[] {
  const merged = new Map(first.map((model) => [model.id, model]));
  for (const model of second) {
    const known = merged.get(model.id);
    merged.set(model.id, known === undefined ? model : withRatesOf(known, model));
  }
  return withRatesOfTwins(merged);
}

/**
 * Google sells the same models twice. Where the second shop's text costs what the first's does, its sound and pictures do
 * too, though no source says so.
 */
function withRatesOfTwins(models: ReadonlyMap<string, ModelRecord>): ModelRecord[] {
  return [...models.values()].map((model) => {
    const { id, rates } = model;
    const twin = id.startsWith(SECOND_SHOP) ? models.get(FIRST_SHOP + id.slice(SECOND_SHOP.length))?.rates : null;
    if (!rates || !twin || rates.input !== twin.input || rates.output !== twin.output) return model;
    const { audioInput, audioOutput, imageInput, imageOutput } = twin;
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

/** What text costs, by the length of the input. */
function textPrices({ tiers = [], ...base }: TokenRates): unknown {
  return [{ ...base, aboveTokens: 0 }, ...tiers].map(({ aboveTokens, input, output }) => [aboveTokens, input, output]);
}

/**
 * Rates of kinds that the first source does not know. It knows all that text costs: no rate of that is taken from another,
 * except of caches that are kept for an hour.
 */
function withMissingRates(known: TokenRates, other: TokenRates): TokenRates {
  const { audioInput, audioOutput, imageInput, imageOutput, request, units, cacheWrite1h, serviceTiers } = other;
  const sameWrite = known.cacheWrite !== undefined && known.cacheWrite === other.cacheWrite;
  // Of a model that the two price alike, the classes of service are priced alike too.
  const alike = isDeepStrictEqual(textPrices(known), textPrices(other));
  const missing = { audioInput, audioOutput, imageInput, imageOutput, request, units, ...(alike && { serviceTiers }) };
  const candidates = { ...missing, ...(sameWrite && { cacheWrite1h }), ...known };
  return { ...known, ...Object.fromEntries(Object.entries(candidates).filter(([, rate]) => rate !== undefined)) };
}
