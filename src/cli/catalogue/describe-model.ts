import type { ModelDeprecation, ModelRecord } from '../../catalogue/model-record.ts';
import type { RateBand, TieredRates, TokenRates } from '../../catalogue/prices/token-rates.ts';
import type { UnitPrice } from '../../catalogue/prices/unit-price.ts';

const rateNames: readonly (readonly [keyof RateBand, string])[] = [
  ['input', 'input'],
  ['cachedInput', 'cached input'],
  ['cacheWrite', 'cache write'],
  ['cacheWrite1h', 'cache write, 1 hour'],
  ['audioInput', 'audio input'],
  ['imageInput', 'image input'],
  ['output', 'output'],
  ['reasoning', 'reasoning'],
  ['audioOutput', 'audio output'],
  ['imageOutput', 'image output'],
];

const unitNames: Readonly<Record<UnitPrice['unit'], string>> = {
  image: 'per image',
  megapixel: 'per megapixel',
  audio_second: 'per minute of audio',
  video_second: 'per second of video',
  character: 'per 1,000,000 characters',
  search: 'per search',
  document: 'per document',
  file_search: 'per file search',
  document_search: 'per document search',
  x_search: 'per X search',
  code_execution: 'per code execution',
};

/** A model as text, one property per line. */
export function describeModel(model: ModelRecord): string {
  const lines: [string, string][] = [
    ['name', model.name],
    ['capabilities', model.capabilities.join(', ')],
    ['input', model.inputModalities.join(', ')],
    ['output', model.outputModalities.join(', ')],
  ];
  if (model.contextWindow !== null) lines.push(['context', `${model.contextWindow.toLocaleString('en')} tokens`]);
  if (model.maxOutputTokens !== null)
    lines.push(['max output', `${model.maxOutputTokens.toLocaleString('en')} tokens`]);
  if (model.releasedOn !== null) lines.push(['released', model.releasedOn]);
  if (model.deprecation) lines.push(['deprecated', describeDeprecation(model.deprecation)]);
  const unpriced = model.provider === 'sandbox' ? 'free (sandbox, not an AI model)' : 'unknown';
  const prices: [string, string][] = model.rates === null ? [['price', unpriced]] : describeRates(model.rates);
  const all: [string, string][] = [...lines, ...prices, ['prices from', model.priceVersion]];
  return `${model.id}\n${all.map(([name, value]) => `  ${name.padEnd(22)}${value}\n`).join('')}`;
}

function describeDeprecation({ shutdownOn, replacement, source, readOn }: ModelDeprecation): string {
  const parts = [shutdownOn && `shutdown on ${shutdownOn}`, replacement && `replaced by ${replacement}`];
  return [...parts, `${source}, read on ${readOn}`].filter(Boolean).join('; ');
}

function describeRates(rates: TokenRates): [string, string][] {
  const services = Object.entries(rates.serviceTiers ?? {}).flatMap(([tier, band]): [string, string][] => [
    [`${tier} tier`, 'applies to all tokens of the request:'],
    ...describeBand(band),
    ...describeTiers(band),
  ]);
  const units = (rates.units ?? []).map(({ unit, price, size, quality }): [string, string] => [
    unitNames[unit],
    [`$${price}`, size, quality].filter((part) => part !== undefined).join(', '),
  ]);
  const request: [string, string][] = rates.request === undefined ? [] : [['per request', `$${rates.request}`]];
  const byUnit = [...request, ...units];
  // A model that is priced only by other units has token rates of 0.
  const sellsTokens = byUnit.length === 0 || rates.input !== '0' || rates.output !== '0';
  return [...(sellsTokens ? describeBand(rates) : []), ...describeTiers(rates), ...services, ...byUnit];
}

function describeTiers({ tiers = [] }: TieredRates): [string, string][] {
  return tiers.flatMap((tier): [string, string][] => [
    [`above ${tier.aboveTokens.toLocaleString('en')}`, 'input tokens, applies to all tokens of the request:'],
    ...describeBand(tier),
  ]);
}

function describeBand(band: RateBand): [string, string][] {
  return rateNames.flatMap(([rate, name]) => {
    const price = band[rate];
    return price === undefined ? [] : [[name, `$${price} per 1,000,000 tokens`]];
  });
}
