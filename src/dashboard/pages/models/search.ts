import { oneOf, nonEmptyText, type UntrustedSearch } from '../../data/search.ts';
import type { ModelOrder } from '../../generated/graphql.ts';

export const orders = ['ID', 'NEWEST', 'CONTEXT_WINDOW'] as const satisfies readonly ModelOrder[];
/** More columns do not fit on a desktop screen. */
export const MAX_COMPARED = 4;

export interface ModelsSearch {
  readonly search?: string;
  readonly provider?: string;
  readonly capability?: string;
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
