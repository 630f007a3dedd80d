import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { decimal } from '../prices/decimal.ts';
import type { ModelRecord } from '../model-record.ts';
import {
  serviceTiers,
  type RateBand,
  type RateTier,
  type ServiceTier,
  type TieredRates,
  type TokenRates,
} from '../prices/token-rates.ts';
import type { MediaUnit, UnitPrice } from '../prices/unit-price.ts';
import { capabilitiesOf } from './capabilities.ts';
import type { ImportedProvider } from './imported-provider.ts';

const priced = z.object({ price: z.number().nonnegative() });
const pricesSchema = z
  .object({
    additional_units: z.record(z.string(), priced).default({}),
    image: z.record(z.string(), z.record(z.string(), priced)).default({}),
  })
  .catchall(priced);

const pricedModeSchema = z.looseObject({
  pricing_config: z.looseObject({ pay_as_you_go: pricesSchema.optional() }).nullish(),
});
const modeSchema = pricedModeSchema.extend({ context_tiers: z.record(z.string(), pricedModeSchema).optional() });
const regionSchema = z.looseObject({ execution_modes: z.record(z.string(), modeSchema).optional() });

const modelSchema = z.looseObject({
  pricing_config: z
    .looseObject({
      pay_as_you_go: pricesSchema.optional(),
      fixed_cost: z.looseObject({ request: priced.optional() }).optional(),
      batch_config: pricesSchema.optional(),
    })
    .nullish(),
  custom_pricing: z
    .looseObject({
      /** Names of the price bands, by the number of input tokens above which each applies. */
      context_tier_map: z.record(z.string().regex(/^\d{1,9}$/), z.string()).optional(),
      regions: z.looseObject({ default: regionSchema.optional() }).optional(),
    })
    .optional(),
});
const fileSchema = z.record(z.string(), modelSchema);

type Prices = z.infer<typeof pricesSchema>;
type ModelEntry = z.infer<typeof modelSchema>;

/** The source has prices only: these members are unknown. */
const text = { input: ['text'], output: ['text'], tools: false, jsonSchema: false, reasoning: false } as const;

/** Prices in US cents per unit, as the source states them. */
type Cents = number | undefined;

/** A larger number is not a price per token, but per minute, search or page. */
const MAX_INPUT_CENTS = 0.02;
const MAX_OUTPUT_CENTS = 0.1;
const MAX_AUDIO_CENTS = 0.02;

/**
 * Reads a file of Portkey's model prices: models by name; each price is in US cents per token, image, second or
 * request. Source: the schema in github.com/Portkey-AI/models. Prices of speech recognition are listed as the price of
 * an audio token and those of speech as the price of an input token: they are cents per minute and per character.
 */
export function readMediaPrices(provider: ImportedProvider, value: unknown, priceVersion: string): ModelRecord[] {
  const entries = fileSchema.parse(value);
  return Object.entries(entries).flatMap(([name, entry]) => {
    const prices = entry.pricing_config?.pay_as_you_go;
    if (name === 'default' || prices === undefined || hasBands(entries, name, entry)) return [];
    const model = name.replace(/-lte-\d+k$/, '');
    const fee = entry.pricing_config?.fixed_cost?.request?.price;
    const [capability = 'chat'] = capabilitiesOf({ ...text, provider: provider.id, model });
    const rates = toRates(provider, capability, prices, fee);
    if (rates === null) return [];
    const long = tieredRates(entry, 'standard');
    // Used only if both state the same price for short inputs.
    if (long?.tiers !== undefined && (long.input !== rates.input || long.output !== rates.output)) return [];
    const tiers = toServiceTiers(provider, entry, rates);
    const whole = { ...rates, ...(long?.tiers && { tiers: long.tiers }), ...(tiers && { serviceTiers: tiers }) };
    return [recordOf(provider.id, model, whole, priceVersion)];
  });
}

/** Prices of other service tiers; undefined if there are none. */
function toServiceTiers(provider: ImportedProvider, entry: ModelEntry, usual: RateBand): TokenRates['serviceTiers'] {
  const bands = serviceTiers.flatMap((tier) => {
    const rates = tieredRates(entry, tier) ?? (tier === 'batch' ? batchBand(entry) : null);
    if (rates === null) return [];
    return [[tier, tier === 'batch' && provider.batchDiscountsCache ? withCache(rates, usual) : rates] as const];
  });
  return bands.length === 0 ? undefined : Object.fromEntries(bands);
}

/** The other place of the prices of a batch API. */
function batchBand({ pricing_config: config }: ModelEntry): RateBand | null {
  return bandOf({ pricing_config: { pay_as_you_go: config?.batch_config } });
}

const cacheKinds = ['cachedInput', 'cacheWrite', 'cacheWrite1h'] as const;

/** With the usual rates of the cache, reduced like the input. */
function withCache<Rates extends RateBand>(rates: Rates, usual: RateBand): Rates {
  const share = Number(rates.input) / Number(usual.input);
  const missing = cacheKinds.flatMap((kind) => {
    const rate = usual[kind];
    return rate === undefined || rates[kind] !== undefined ? [] : [[kind, decimal(Number(rate) * share)] as const];
  });
  return { ...rates, ...Object.fromEntries(missing) };
}

/** The rates of a service tier, by input length; null if the source does not state them. */
function tieredRates(entry: ModelEntry, service: ServiceTier | 'standard'): TieredRates | null {
  const mode = entry.custom_pricing?.regions?.default?.execution_modes?.[service];
  if (mode === undefined) return null;
  const names = Object.entries(entry.custom_pricing?.context_tier_map ?? {}).map(([above, name]) => ({
    aboveTokens: Number(above),
    prices: mode.context_tiers?.[name],
  }));
  const base = bandOf(names.find(({ aboveTokens }) => aboveTokens === 0)?.prices ?? mode);
  if (base === null) return null;
  const tiers = names
    .toSorted((a, b) => a.aboveTokens - b.aboveTokens)
    .flatMap(({ aboveTokens, prices }): RateTier[] => {
      const band = aboveTokens === 0 || prices === undefined ? null : bandOf(prices);
      return band === null || isDeepStrictEqual(band, base) ? [] : [{ aboveTokens, ...band }];
    });
  return { ...base, ...(tiers.length > 0 && { tiers }) };
}

function bandOf({ pricing_config: config }: z.infer<typeof pricedModeSchema>): RateBand | null {
  const band = config?.pay_as_you_go === undefined ? null : toBand(config.pay_as_you_go);
  return band === null || (band.input === '0' && band.output === '0') ? null : band;
}

/** The prices of short and of long inputs are two entries here, with a bound that the provider does not use. */
function hasBands(entries: z.infer<typeof fileSchema>, name: string, entry: ModelEntry): boolean {
  const above = entries[name.replace(/-lte-(\d+k)$/, '-gt-$1')] ?? entry;
  const same = isDeepStrictEqual(entry.pricing_config?.pay_as_you_go, above.pricing_config?.pay_as_you_go);
  return /-gt-\d+k$/.test(name) || !same;
}

/** A model of which only the price is known. */
export function recordOf(provider: string, model: string, rates: TokenRates, priceVersion: string): ModelRecord {
  const traits = { ...text, provider, model };
  const hasUnit = (unit: MediaUnit): boolean => (rates.units ?? []).some((price) => price.unit === unit);
  const generatesImages = hasUnit('image') || hasUnit('megapixel');
  const generatesSpeech = hasUnit('character') || capabilitiesOf(traits).includes('speech');
  const output = generatesImages ? 'image' : hasUnit('video_second') ? 'video' : generatesSpeech ? 'audio' : 'text';
  const input = hasUnit('audio_second') ? ['audio'] : rates.audioInput === undefined ? ['text'] : ['text', 'audio'];
  const outputs = rates.audioOutput === undefined || output !== 'text' ? [output] : ['text', 'audio'];
  return {
    id: `${provider}/${model}`,
    provider,
    name: model,
    contextWindow: null,
    maxOutputTokens: null,
    inputModalities: input,
    outputModalities: outputs,
    capabilities: capabilitiesOf({ ...traits, input, output: outputs }),
    rates,
    priceVersion,
    releasedOn: null,
  };
}

/** Null if nothing has a price: the source states 0 for unknown prices. */
function toRates(provider: ImportedProvider, capability: string, prices: Prices, fixedFee: Cents): TokenRates | null {
  const spoken = capability === 'speech' && (cents(prices, 'request_token') ?? 0) >= 0.0005;
  const searched = capability === 'rerank' && (cents(prices, 'request_token') ?? 0) > MAX_INPUT_CENTS;
  // The price of a rerank request is the price of one search: a longer list counts as several searches.
  const search = capability === 'rerank' ? fixedFee || (searched ? cents(prices, 'request_token') : 0) : 0;
  const units = [
    ...unitPrices(provider, prices),
    ...(spoken ? [unit('character', cents(prices, 'request_token'))] : []),
    ...(search ? [unit('search', search)] : []),
  ];
  const band = spoken || searched ? { input: '0', output: '0' } : toBand(prices);
  if (band === null) return null;
  const request = search ? 0 : fixedFee;
  const isEmpty = Object.values(band).every((rate) => rate === '0') && units.length === 0 && !request;
  if (isEmpty) return null;
  return { ...band, ...(request && { request: usdFor(request, 1) }), ...(units.length > 0 && { units }) };
}

/** Null if a number cannot be the price of a token. */
function toBand(prices: Prices): RateBand | null {
  const input = cents(prices, 'request_text_token') ?? cents(prices, 'request_token') ?? 0;
  const output =
    cents(prices, 'response_text_token') ??
    cents(prices, 'response_token') ??
    cents(prices, 'response_image_token') ??
    0;
  const perMinute = (cents(prices, 'request_audio_token') ?? 0) > MAX_AUDIO_CENTS;
  if ((input > MAX_INPUT_CENTS && !perMinute) || output > MAX_OUTPUT_CENTS) return null;
  const cached = cents(prices, 'cache_read_text_input_token') ?? cents(prices, 'cache_read_input_token');
  const write = cents(prices, 'cache_write_input_token');
  const writeLong = cents(prices, 'cache_write_1h');
  return {
    input: perMinute && input > MAX_INPUT_CENTS ? '0' : perMillion(input),
    output: perMillion(output),
    ...optional('cachedInput', cached, (rate) => rate > 0 && rate <= input),
    // A price below the input rate is the storage price of a cache, not the price of writing it.
    ...optional('cacheWrite', write, (rate) => rate >= input && rate > 0),
    ...optional('cacheWrite1h', writeLong, (rate) => write !== undefined && write >= input && rate > write),
    ...optional('audioInput', cents(prices, 'request_audio_token'), isAudioToken),
    ...optional('audioOutput', cents(prices, 'response_audio_token'), isAudioToken),
    ...optional('imageInput', cents(prices, 'request_image_token'), (rate) => rate > 0),
    ...optional(
      'imageOutput',
      cents(prices, 'response_image_token') ?? cents(prices, 'image_token'),
      (rate) => rate > 0,
    ),
  };
}

function isAudioToken(rate: number): boolean {
  return rate > 0 && rate <= MAX_AUDIO_CENTS;
}

function optional(name: keyof RateBand, rate: Cents, isValid: (rate: number) => boolean): Partial<RateBand> {
  return rate === undefined || !isValid(rate) ? {} : { [name]: perMillion(rate) };
}

function unitPrices({ mediaInDollars }: ImportedProvider, prices: Prices): UnitPrice[] {
  const scale = mediaInDollars ? 100 : 1;
  const images = Object.entries(prices.image).flatMap(([quality, sizes]) =>
    Object.entries(sizes).map(([size, { price }]) => ({
      ...unit('image', price * scale),
      ...(size !== 'default' && { size }),
      ...(quality !== 'default' && { quality }),
    })),
  );
  const videos = Object.entries(prices.additional_units).flatMap(([name, { price }]) => {
    const [, width, height] = /^video_duration_seconds_(\d+)_(\d+)$/.exec(name) ?? [];
    if (width === undefined) return name === 'video_seconds' ? [unit('video_second', price)] : [];
    return [{ ...unit('video_second', price), size: `${width}x${height}` }];
  });
  const megapixels = cents(prices, 'megapixels');
  const minute = cents(prices, 'request_audio_token');
  return [
    ...images,
    ...videos,
    ...(megapixels === undefined ? [] : [unit('megapixel', megapixels * scale)]),
    ...(minute === undefined || minute <= MAX_AUDIO_CENTS ? [] : [unit('audio_second', minute)]),
  ].filter(({ price }) => price !== '0');
}

/** In cents per image, megapixel, minute of audio, second of video or character. */
function unit(name: MediaUnit, price: Cents): UnitPrice {
  return { unit: name, price: name === 'character' ? perMillion(price ?? 0) : usdFor(price ?? 0, 1) };
}

/** Some prices are in one of two places. */
function cents(prices: Prices, name: string): Cents {
  return prices[name]?.price ?? prices.additional_units[name]?.price;
}

function perMillion(rate: number): string {
  return usdFor(rate, 1_000_000);
}

/**
 * Multiplying a float by a power of ten makes its last digits inexact: ten significant digits exceed the precision of
 * any price.
 */
function usdFor(rate: number, count: number): string {
  return decimal(Number(((rate * count) / 100).toPrecision(10)));
}
