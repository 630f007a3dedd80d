import type { KeysQuery } from '../../generated/graphql.ts';
import type { KeySort } from './search.ts';

/** A key in the list, with its spend if the viewer may read it. */
export type ListedKey = KeysQuery['apiKeys']['nodes'][number];

/** What a title sorts by, and its first direction. */
export const firstSorts = { name: 'name_asc', month: 'month_desc', total: 'total_desc', used: 'used_desc' } as const;
export type KeyFigure = keyof typeof firstSorts;

const figures: Readonly<Record<Exclude<KeyFigure, 'name'>, (key: ListedKey) => number>> = {
  month: ({ monthSpend }) => Number(monthSpend?.total.cost.amount ?? 0),
  total: ({ totalSpend }) => Number(totalSpend?.total.cost.amount ?? 0),
  used: ({ lastUsedAt }) => (lastUsedAt == null ? 0 : Date.parse(lastUsedAt)),
};

/** In the order of the server, the newest first, if none is given, and among equal ones. */
export function sorted(keys: readonly ListedKey[], sort: KeySort | undefined): readonly ListedKey[] {
  if (sort === undefined) return keys;
  const { by, descends } = partsOf(sort);
  const sign = descends ? -1 : 1;
  if (by === 'name') return keys.toSorted((a, b) => sign * a.name.localeCompare(b.name));
  const figure = figures[by];
  return keys.toSorted((a, b) => sign * (figure(a) - figure(b)));
}

export function partsOf(sort: KeySort): { readonly by: KeyFigure; readonly descends: boolean } {
  const by = (['name', 'month', 'total', 'used'] as const).find((each) => sort.startsWith(each)) ?? 'name';
  return { by, descends: sort.endsWith('_desc') };
}

/** The other direction of what it is sorted by already. */
export function nextSort(sort: KeySort | undefined, by: KeyFigure): KeySort {
  if (sort === undefined || partsOf(sort).by !== by) return firstSorts[by];
  return partsOf(sort).descends ? `${by}_asc` : `${by}_desc`;
}
