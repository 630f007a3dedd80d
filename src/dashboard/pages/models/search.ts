import { oneOf, text, type Given } from '../../data/search.ts';
import type { ModelOrder } from '../../generated/graphql.ts';

export const orders = ['ID', 'NEWEST', 'CONTEXT_WINDOW'] as const satisfies readonly ModelOrder[];
/** More columns than these are no comparison at a glance. */
export const MOST_COMPARED = 4;

export interface ModelsSearch {
  readonly search?: string;
  readonly provider?: string;
  readonly capability?: string;
  readonly order?: ModelOrder;
  /** Those marked to be compared. */
  readonly marked?: readonly string[];
}

export function modelsSearch(given: Given): ModelsSearch {
  const marked = idsOf(given.marked);
  return {
    search: text(given.search),
    provider: text(given.provider),
    capability: text(given.capability),
    order: oneOf(orders, given.order),
    marked: marked.length > 0 ? marked : undefined,
  };
}

export function compareSearch(given: Given): { ids: readonly string[] } {
  return { ids: idsOf(given.ids) };
}

function idsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set(value.filter((each) => typeof each === 'string'))].slice(0, MOST_COMPARED);
}

/** A model's id as parts of its page's path: what follows the provider may hold slashes of its own. */
export function modelParams(id: string): { provider: string; _splat: string } {
  const slash = id.indexOf('/');
  return { provider: id.slice(0, slash), _splat: id.slice(slash + 1) };
}
