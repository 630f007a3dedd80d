import { oneOf, nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

const keyTabs = ['usage', 'settings', 'tokens'] as const;
export type KeyTab = (typeof keyTabs)[number];

export const keySorts = [
  'name_asc',
  'name_desc',
  'month_desc',
  'month_asc',
  'total_desc',
  'total_asc',
  'used_desc',
  'used_asc',
] as const;
export type KeySort = (typeof keySorts)[number];

export interface KeysSearch {
  readonly search?: string;
  readonly revoked?: true;
  /** Absent for the newest first. */
  readonly sort?: KeySort;
  /** The key whose details are open. */
  readonly key?: string;
  /** The tab that is open first. */
  readonly tab?: KeyTab;
  readonly create?: true;
}

export function keysSearch(input: UntrustedSearch): KeysSearch {
  return {
    search: nonEmptyText(input.search),
    sort: oneOf(keySorts, input.sort),
    revoked: input.revoked === true ? true : undefined,
    key: nonEmptyText(input.key),
    tab: oneOf(keyTabs, input.tab),
    create: input.create === true ? true : undefined,
  };
}
