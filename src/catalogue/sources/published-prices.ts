import { z } from 'zod';
import { decimal, ratePattern } from '../prices/decimal.ts';
import type { ModelRecord } from '../model-record.ts';
import type { RateBand, TieredRates, TokenRates } from '../prices/token-rates.ts';
import { mediaUnits, type UnitPrice } from '../prices/unit-price.ts';
import { recordOf } from './media-prices.ts';

const rate = z.string().regex(ratePattern);
const ratesSchema = z.strictObject({
  input: rate.optional(),
  output: rate.optional(),
  imageOutput: rate.optional(),
  /** Rates of the provider's batch API as a part of the usual ones: 0.5 for half. Those of its cache are none of them. */
  batchShare: rate.optional(),
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
function withPublished(known: TokenRates, { units = [], batchShare, ...rates }: PublishedRates): TokenRates {
  const missing = Object.entries(rates).filter(
    ([name]) => !Object.entries(known).some(([other, price]) => other === name && price !== '0'),
  );
  const same = (a: UnitPrice, b: UnitPrice): boolean =>
    a.unit === b.unit && a.size === b.size && a.quality === b.quality;
  const before = known.units ?? [];
  const all = [...before, ...units.filter((unit) => !before.some((other) => same(unit, other)))];
  const whole = { ...known, ...Object.fromEntries(missing), ...(all.length > 0 && { units: all }) };
  return batchShare === undefined ? whole : withBatch(whole, Number(batchShare));
}

/** With the rates of a batch API that it lacks. */
function withBatch(usual: TokenRates, share: number): TokenRates {
  if (usual.input === '0' && usual.output === '0') return usual;
  const tiers = usual.tiers?.map(({ aboveTokens, ...band }) => ({ aboveTokens, ...reduced(band, share) }));
  const batch: TieredRates = { ...reduced(usual, share), ...(tiers && { tiers }), ...usual.serviceTiers?.batch };
  return { ...usual, serviceTiers: { ...usual.serviceTiers, batch } };
}

const further = ['reasoning', 'audioInput', 'audioOutput', 'imageInput', 'imageOutput'] as const;

function reduced(band: RateBand, share: number): RateBand {
  const part = (rate: string): string => decimal(Number((Number(rate) * share).toPrecision(10)));
  const others = further.flatMap((kind) => {
    const rate = band[kind];
    return rate === undefined ? [] : [[kind, part(rate)] as const];
  });
  return { input: part(band.input), output: part(band.output), ...Object.fromEntries(others) };
}
