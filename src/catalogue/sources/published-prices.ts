import { z } from 'zod';
import { ratePattern } from '../prices/decimal.ts';
import type { ModelRecord } from '../model-record.ts';
import type { TokenRates } from '../prices/token-rates.ts';
import { mediaUnits, type UnitPrice } from '../prices/unit-price.ts';
import { recordOf } from './media-prices.ts';

const rate = z.string().regex(ratePattern);
const ratesSchema = z.strictObject({
  input: rate.optional(),
  output: rate.optional(),
  imageOutput: rate.optional(),
  units: z
    .array(
      z.strictObject({
        unit: z.enum(mediaUnits),
        price: rate,
        size: z.string().optional(),
        quality: z.string().optional(),
        minimum: z.number().positive().optional(),
      }),
    )
    .optional(),
});

/** Prices that only the provider itself publishes, each with the page that states it. */
const fileSchema = z.array(
  z.strictObject({
    /** The provider's own page. */
    source: z.url(),
    /** `YYYY-MM-DD`: when it was read. */
    date: z.iso.date(),
    /** The page that quotes it literally, if the provider's page was not read itself. */
    quotedAt: z.url().optional(),
    /** By `provider/model`; `provider/*` applies to each of its chat models with a price. */
    models: z.record(z.string().regex(/^[a-z0-9-]+\/.+$/), ratesSchema),
  }),
);

type PublishedRates = z.infer<typeof ratesSchema>;

/** Adds published prices: what known models lack, and models that no other source has. */
export function withPublishedPrices(models: readonly ModelRecord[], file: unknown): ModelRecord[] {
  const known = new Map(models.map((model) => [model.id, model]));
  for (const { source, date, models: published } of fileSchema.parse(file)) {
    const version = `${new URL(source).hostname}@${date}`;
    for (const [name, rates] of Object.entries(published))
      for (const id of name.endsWith('/*') ? pricedChatModels(known.values(), name.slice(0, -1)) : [name])
        known.set(id, priced(known.get(id), id, rates, version));
  }
  return [...known.values()];
}

function pricedChatModels(models: Iterable<ModelRecord>, prefix: string): string[] {
  return [...models]
    .filter(({ id, rates, capabilities }) => id.startsWith(prefix) && rates !== null && capabilities.includes('chat'))
    .map(({ id }) => id);
}

function priced(known: ModelRecord | undefined, id: string, published: PublishedRates, version: string): ModelRecord {
  const rates = withPublished(known?.rates ?? { input: '0', output: '0' }, published);
  const slash = id.indexOf('/');
  if (known === undefined) return recordOf(id.slice(0, slash), id.slice(slash + 1), rates, version);
  return { ...known, rates, priceVersion: known.rates === null ? version : `${known.priceVersion}+${version}` };
}

/** A rate of 0 means that the other source does not know it. */
function withPublished(known: TokenRates, { units = [], ...rates }: PublishedRates): TokenRates {
  const missing = Object.entries(rates).filter(
    ([name]) => !Object.entries(known).some(([other, price]) => other === name && price !== '0'),
  );
  const same = (a: UnitPrice, b: UnitPrice): boolean =>
    a.unit === b.unit && a.size === b.size && a.quality === b.quality;
  const before = known.units ?? [];
  const all = [...before, ...units.filter((unit) => !before.some((other) => same(unit, other)))];
  return { ...known, ...Object.fromEntries(missing), ...(all.length > 0 && { units: all }) };
}
