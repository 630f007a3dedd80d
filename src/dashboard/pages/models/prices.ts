import { count, money, words } from '../../design/format.ts';
import type { ModelRowFragment, ModelWholeFragment } from '../../generated/graphql.ts';

type Pricing = NonNullable<ModelRowFragment['pricing']>;

/** What stands in a narrow column: the token price, or that of the first unit. */
export function inputPrice(pricing: Pricing | null | undefined): string {
  if (!pricing) return '–';
  const [unit] = pricing.units;
  if (Number(pricing.input) === 0 && unit) return `${money(unit.price)} / ${unitText(unit)}`;
  return money(pricing.input);
}

export function outputPrice(pricing: Pricing | null | undefined): string {
  if (!pricing || (Number(pricing.output) === 0 && pricing.units.length > 0)) return '–';
  return money(pricing.output);
}

export function unitText({ unit, per }: Pick<Pricing['units'][number], 'unit' | 'per'>): string {
  return per === 1 ? words(unit).toLowerCase() : `${count(per)} ${words(unit).toLowerCase()}s`;
}

/** Every price of a model with its name, in the order in which people ask. */
export function allPrices(pricing: ModelWholeFragment['pricing']): (readonly [string, string])[] {
  if (!pricing) return [];
  const tokens = (name: string, price: string | null | undefined): (readonly [string, string])[] =>
    price == null ? [] : [[name, `${money(price)} / 1M tokens`]];
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
    ...(pricing.request == null ? [] : [['Each request', money(pricing.request)] as const]),
    ...pricing.units.map(
      (unit) =>
        [
          [words(unit.unit), unit.size, unit.quality].filter(Boolean).join(', '),
          `${money(unit.price)} / ${unitText(unit)}`,
        ] as const,
    ),
    ...pricing.tiers.flatMap(({ aboveTokens, input, output }) => [
      [`Input above ${count(aboveTokens)} tokens`, `${money(input)} / 1M tokens`] as const,
      [`Output above ${count(aboveTokens)} tokens`, `${money(output)} / 1M tokens`] as const,
    ]),
    ...pricing.serviceTiers.map(
      ({ serviceTier, input, output }) => [words(serviceTier), `${money(input)} in, ${money(output)} out`] as const,
    ),
  ];
}
