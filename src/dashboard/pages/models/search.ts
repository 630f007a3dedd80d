import { oneOf, nonEmptyText, type UntrustedSearch } from '../../data/search.ts';
import type { ModelOrder } from '../../generated/graphql.ts';

export const orders = [
  'ID',
  'NEWEST',
  'CONTEXT_WINDOW',
  'INPUT_PRICE',
  'OUTPUT_PRICE',
] as const satisfies readonly ModelOrder[];
export const modalities = ['text', 'image', 'audio', 'video', 'file'] as const;
/** Tokens. */
export const contextSizes = ['32000', '128000', '200000', '1000000'] as const;
/** USD per 1,000,000 tokens. */
export const inputPrices = ['0', '0.25', '1', '3', '10'] as const;
/** Days. */
export const retentions = ['0', '30', '90'] as const;
export const trainings = ['no'] as const;
export const MAX_COMPARED = 8;

export interface ModelsSearch {
  readonly search?: string;
  readonly provider?: string;
  readonly capability?: string;
  /** The modality that the models accept. */
  readonly input?: (typeof modalities)[number];
  /** The modality that the models return. */
  readonly output?: (typeof modalities)[number];
  /** Minimum context window. */
  readonly context?: (typeof contextSizes)[number];
  /** Maximum price of text input. */
  readonly price?: (typeof inputPrices)[number];
  readonly region?: string;
  /** Whether the provider trains on API data. */
  readonly training?: (typeof trainings)[number];
  /** Maximum retention. */
  readonly retention?: (typeof retentions)[number];
  readonly order?: ModelOrder;
  /** The models selected for comparison. */
  readonly marked?: readonly string[];
}

export function modelsSearch(input: UntrustedSearch): ModelsSearch {
  const marked = idsOf(input.marked);
  return {
    search: nonEmptyText(input.search),
    provider: nonEmptyText(input.provider),
    capability: nonEmptyText(input.capability),
    input: oneOf(modalities, input.input),
    output: oneOf(modalities, input.output),
    context: oneOf(contextSizes, nonEmptyText(input.context)),
    price: oneOf(inputPrices, nonEmptyText(input.price)),
    region: nonEmptyText(input.region),
    training: oneOf(trainings, input.training),
    retention: oneOf(retentions, nonEmptyText(input.retention)),
    order: oneOf(orders, input.order),
    marked: marked.length > 0 ? marked : undefined,
  };
}

export function compareSearch(input: UntrustedSearch): { ids: readonly string[] } {
  return { ids: idsOf(input.ids) };
}

function idsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set(value.filter((each) => typeof each === 'string'))].slice(0, MAX_COMPARED);
}

/** Path segment for ids without a provider, such as routes and aliases, whose names may equal those of other pages. */
const NO_PROVIDER = '-';

export interface ModelParams {
  readonly provider: string;
  readonly _splat: string;
}

/** The path parameters of a model's page. The part after the provider may contain slashes. */
export function modelParams(id: string): ModelParams {
  const slash = id.indexOf('/');
  const provider = id.slice(0, Math.max(0, slash));
  if (provider === '' || provider === NO_PROVIDER) return { provider: NO_PROVIDER, _splat: id };
  return { provider, _splat: id.slice(slash + 1) };
}

/** The inverse of `modelParams`. */
export function modelIdOf({ provider, _splat: name = '' }: Partial<ModelParams>): string {
  if (provider === NO_PROVIDER) return name;
  return name === '' ? (provider ?? '') : `${provider}/${name}`;
}
