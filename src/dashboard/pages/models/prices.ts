import { inPriceUnit, type PriceUnit } from '../../data/price-unit.ts';
import { count, money, words } from '../../design/format.ts';
import type { ModelRowFragment, ModelDetailsFragment } from '../../generated/graphql.ts';

type Pricing = NonNullable<ModelRowFragment['pricing']>;

type UnitPrice = Pick<Pricing['units'][number], 'unit' | 'per' | 'price'>;

/** For a narrow column: the token price, or the price of the first unit. */
export function inputPrice(pricing: Pricing | null | undefined, tokens: PriceUnit): string {
  if (!pricing) return '–';
  const [unit] = pricing.units;
  if (Number(pricing.input) === 0 && unit) return unitPrice(unit);
  return money(inPriceUnit(pricing.input, tokens));
}

export function outputPrice(pricing: Pricing | null | undefined, tokens: PriceUnit): string {
  if (!pricing || (Number(pricing.output) === 0 && pricing.units.length > 0)) return '–';
  return money(inPriceUnit(pricing.output, tokens));
}

/** The price with its unit. Audio and video prices are converted to one second. */
export function unitPrice({ unit, per, price }: UnitPrice): string {
  const name = words(unit).toLowerCase();
  if (unit.endsWith('second')) return `${money(Number(price) / per)} / ${name}`;
  return `${money(price)} / ${per === 1 ? name : `${count(per)} ${name}s`}`;
}

/** All prices of a model with their names, the most important first. */
export function allPrices(pricing: ModelDetailsFragment['pricing'], unit: PriceUnit): (readonly [string, string])[] {
  if (!pricing) return [];
  const inUnit = (price: string): string => money(inPriceUnit(price, unit));
  const tokens = (name: string, price: string | null | undefined): (readonly [string, string])[] =>
    price == null ? [] : [[name, `${inUnit(price)} / ${unit} tokens`]];
  const isByUnit = Number(pricing.input) === 0 && Number(pricing.output) === 0 && pricing.units.length > 0;
  return [
    ...(isByUnit ? [] : [...tokens('Input', pricing.input), ...tokens('Output', pricing.output)]),
    ...tokens('Cached input', pricing.cachedInput),
    ...tokens('Cache write', pricing.cacheWrite),
    ...tokens('Reasoning', pricing.reasoning),
    ...tokens('Audio in', pricing.audioInput),
    ...tokens('Audio out', pricing.audioOutput),
    ...tokens('Image in', pricing.imageInput),
    ...tokens('Image out', pricing.imageOutput),
    ...(pricing.request == null ? [] : [['Per request', `${money(pricing.request)} / request`] as const]),
    ...pricing.units.map(
      (each) => [[words(each.unit), each.size, each.quality].filter(Boolean).join(', '), unitPrice(each)] as const,
    ),
    ...pricing.tiers.flatMap(({ aboveTokens, input, output }) => [
      [`Input above ${count(aboveTokens)} tokens`, `${inUnit(input)} / ${unit} tokens`] as const,
      [`Output above ${count(aboveTokens)} tokens`, `${inUnit(output)} / ${unit} tokens`] as const,
    ]),
    ...pricing.serviceTiers.map(
      ({ serviceTier, input, output }) =>
        [words(serviceTier), `${inUnit(input)} in, ${inUnit(output)} out / ${unit} tokens`] as const,
    ),
  ];
}
