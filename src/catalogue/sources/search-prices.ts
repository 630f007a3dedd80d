import { z } from 'zod';
import { decimal } from '../prices/decimal.ts';
import type { ModelRecord } from '../model-record.ts';
import type { TokenRates } from '../prices/token-rates.ts';
import type { UnitPrice } from '../prices/unit-price.ts';
import type { ImportedProvider } from './imported-provider.ts';

const fileSchema = z.record(
  z.string(),
  z.looseObject({
    pricing_config: z
      .looseObject({
        pay_as_you_go: z
          .looseObject({
            additional_units: z.record(z.string(), z.object({ price: z.number().nonnegative() })).default({}),
          })
          .optional(),
      })
      .nullish(),
  }),
);

/** These search for every answer, and do not say that they did: what a search costs is the price of a request. */
const alwaysSearches = /-search-(preview|api)/;

type SearchPrice = Pick<TokenRates, 'request' | 'units'>;

/**
 * What searching the web costs beside the tokens, by the model's id; in Portkey's files US cents for one search. Where the
 * price hangs on how much of what was found is read, the lowest is that of a search whose answer does not say.
 */
export function readSearchPrices(provider: ImportedProvider, value: unknown): ReadonlyMap<string, SearchPrice> {
  const prices = new Map<string, SearchPrice>();
  for (const [name, entry] of Object.entries(fileSchema.parse(value))) {
    const fees = entry.pricing_config?.pay_as_you_go?.additional_units ?? {};
    const cents = (of: string): number => fees[of]?.price ?? 0;
    // The same model has two entries where its tokens cost more with a long input.
    const id = `${provider.id}/${name.replace(/-(lte|gt)-\d+k$/, '')}`;
    const fee = cents('web_search') || cents('web_search_low_context');
    if (name === 'default' || fee === 0) continue;
    if (alwaysSearches.test(name)) {
      prices.set(id, { request: usd(fee) });
      continue;
    }
    const sizes = ['medium', 'high'].flatMap((size): UnitPrice[] => {
      const price = cents(`web_search_${size}_context`);
      return price === 0 ? [] : [{ unit: 'search', price: usd(price), size }];
    });
    prices.set(id, { units: [{ unit: 'search', price: usd(fee) }, ...sizes] });
  }
  return prices;
}

/** The same models; those that chat and have a price have that of their searches too. */
export function withSearchPrices(
  models: readonly ModelRecord[],
  prices: ReadonlyMap<string, SearchPrice>,
  priceVersion: string,
): ModelRecord[] {
  return models.map((model) => {
    const { id, rates, capabilities, priceVersion: known } = model;
    const price = prices.get(id);
    if (rates === null || price === undefined || !capabilities.includes('chat')) return model;
    const request = rates.request ?? price.request;
    const units = [...(rates.units ?? []), ...(price.units ?? [])];
    return {
      ...model,
      rates: { ...rates, ...(request !== undefined && { request }), ...(units.length > 0 && { units }) },
      priceVersion: known.split('+').includes(priceVersion) ? known : `${known}+${priceVersion}`,
    };
  });
}

function usd(cents: number): string {
  return decimal(Number((cents / 100).toPrecision(10)));
}
