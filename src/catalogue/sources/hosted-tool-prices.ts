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

/** These search for every response without reporting it: the price of a search is added to each request. */
const alwaysSearches = /-search-(preview|api)/;

type ToolPrice = Pick<TokenRates, 'request' | 'units'>;

/** Other tools than the web search: the names of Portkey's files, and the units. */
const toolUnits = [
  ['file_search', 'file_search'],
  ['attachment_search', 'document_search'],
  ['x_search', 'x_search'],
  ['code_execution', 'code_execution'],
] as const;

/**
 * Prices of tools that providers run, by model id; Portkey's files have US cents per call. Where the price of a web search
 * depends on the context size, the lowest price applies to a response that does not report it.
 */
export function readToolPrices(provider: ImportedProvider, value: unknown): ReadonlyMap<string, ToolPrice> {
  const prices = new Map<string, ToolPrice>();
  for (const [name, entry] of Object.entries(fileSchema.parse(value))) {
    const fees = entry.pricing_config?.pay_as_you_go?.additional_units ?? {};
    const cents = (of: string): number => fees[of]?.price ?? 0;
    // A model whose tokens cost more with a long input has two entries.
    const id = `${provider.id}/${name.replace(/-(lte|gt)-\d+k$/, '')}`;
    const fee = cents('web_search') || cents('web_search_low_context');
    if (name === 'default') continue;
    const tools = toolUnits.flatMap(([named, unit]): UnitPrice[] => {
      const price = cents(named);
      return price === 0 ? [] : [{ unit, price: usd(price) }];
    });
    if (fee > 0 && alwaysSearches.test(name)) {
      prices.set(id, { request: usd(fee), ...(tools.length > 0 && { units: tools }) });
      continue;
    }
    const sizes = ['medium', 'high'].flatMap((size): UnitPrice[] => {
      const price = cents(`web_search_${size}_context`);
      return price === 0 ? [] : [{ unit: 'search', price: usd(price), size }];
    });
    const searches: UnitPrice[] = fee === 0 ? [] : [{ unit: 'search', price: usd(fee) }, ...sizes];
    if (searches.length + tools.length > 0) prices.set(id, { units: [...searches, ...tools] });
  }
  return prices;
}

/** The same models; chat models with a price also get the prices of their tools. */
export function withToolPrices(
  models: readonly ModelRecord[],
  prices: ReadonlyMap<string, ToolPrice>,
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
