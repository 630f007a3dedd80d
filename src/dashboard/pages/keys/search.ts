import { oneOf, nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

const keyTabs = ['usage', 'settings', 'tokens'] as const;
export type KeyTab = (typeof keyTabs)[number];

export interface KeysSearch {
  readonly search?: string;
  readonly revoked?: true;
  /** The key whose details are open. */
  readonly key?: string;
  /** The tab that is open first. */
  readonly tab?: KeyTab;
  readonly create?: true;
}

export function keysSearch(input: UntrustedSearch): KeysSearch {
  return {
    search: nonEmptyText(input.search),
    revoked: input.revoked === true ? true : undefined,
    key: nonEmptyText(input.key),
    tab: oneOf(keyTabs, input.tab),
    create: input.create === true ? true : undefined,
  };
}
