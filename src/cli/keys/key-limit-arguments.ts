import type { ApiKeyLimits, ApiKeyRates } from '../../database/entities/api-key.entity.ts';
import type { KeyChange } from '../../services/keys/key-input.ts';
import { BadArguments } from '../errors/bad-arguments.ts';

type LimitChange = NonNullable<KeyChange['limits']>;
type Rates = { [Name in keyof ApiKeyRates]: number | null };

/** Options of a key's limits. Limits per model and per capability use the same names. */
export const rateOptions = {
  'requests-per-minute': { type: 'string' },
  'tokens-per-minute': { type: 'string' },
  'requests-per-day': { type: 'string' },
  concurrency: { type: 'string' },
} as const;

type RateOption = keyof typeof rateOptions;

const rateNames: Readonly<Record<RateOption, keyof ApiKeyRates>> = {
  'requests-per-minute': 'requestsPerMinute',
  'tokens-per-minute': 'tokensPerMinute',
  'requests-per-day': 'requestsPerDay',
  concurrency: 'concurrency',
};
/** Removes one limit, or all of a group. */
const NONE = 'none';

export type LimitOptions = { readonly [Option in RateOption]?: string | undefined } & {
  readonly 'model-limit'?: readonly string[] | undefined;
  readonly 'capability-limit'?: readonly string[] | undefined;
};

/** Only the given limits; undefined if there are none. @throws BadArguments */
export function readLimits(options: LimitOptions): LimitChange | undefined {
  const { 'model-limit': models, 'capability-limit': capabilities } = options;
  const rates = readRates((option) => options[option]);
  const limits: LimitChange = {
    ...rates,
    ...(models && { perModel: partsOf('model-limit', models).map(([model, own]) => ({ model, ...own })) }),
    ...(capabilities && {
      perCapability: partsOf('capability-limit', capabilities).map(([capability, own]) => ({ capability, ...own })),
    }),
  };
  return Object.keys(limits).length === 0 ? undefined : limits;
}

/**
 * The limits of a key after an update. Limits of the key, per model and per capability are three groups: a group with at least
 * one given limit is replaced completely, the others are unchanged.
 */
export function changedLimits(held: ApiKeyLimits, named: LimitChange): LimitChange {
  const { perModel = held.perModel, perCapability = held.perCapability, ...rates } = named;
  const { perModel: _models, perCapability: _capabilities, ...heldRates } = held;
  return {
    ...(Object.keys(rates).length > 0 ? rates : heldRates),
    perModel: [...(perModel ?? [])],
    perCapability: [...(perCapability ?? [])],
  };
}

function readRates(textOf: (option: RateOption) => string | undefined): Rates {
  const rates: Rates = {};
  for (const option of Object.keys(rateOptions).filter(isRateOption)) {
    const text = textOf(option);
    if (text !== undefined) rates[rateNames[option]] = text === NONE ? null : wholeNumber(option, text);
  }
  return rates;
}

/** Parses `<name>,<limit>=<n>[,<limit>=<n>]...`. A name may contain commas, so limits are read from the end. */
function partsOf(option: string, given: readonly string[]): readonly (readonly [name: string, rates: Rates])[] {
  if (given.length === 1 && given[0] === NONE) return [];
  return given.map((text) => {
    const pieces = text.split(',');
    const named = pieces.findLastIndex((piece) => !isRateOption(piece.split('=')[0] ?? '')) + 1;
    const limits = new Map(pieces.slice(named).map((piece) => splitPair(piece)));
    const name = pieces.slice(0, named).join(',');
    if (name === '' || limits.size === 0 || limits.size < pieces.length - named)
      throw new BadArguments(
        `--${option} must be a name and its limits, each once: openai/gpt-5.5,requests-per-minute=10,concurrency=2. The limits are ${Object.keys(rateOptions).join(', ')}.`,
      );
    return [name, readRates((rate) => limits.get(rate))];
  });
}

function splitPair(piece: string): readonly [name: string, value: string] {
  const [name = '', ...value] = piece.split('=');
  return [name, value.join('=')];
}

function isRateOption(name: string): name is RateOption {
  return Object.hasOwn(rateOptions, name);
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new BadArguments(`--${option} must be an integer, or ${NONE}.`);
  return Number(text);
}
