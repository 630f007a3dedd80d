import { oneOf, text, type Given } from '../../data/search.ts';

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

export function keysSearch(given: Given): KeysSearch {
  return {
    search: text(given.search),
    revoked: given.revoked === true ? true : undefined,
    key: text(given.key),
    tab: oneOf(keyTabs, given.tab),
    create: given.create === true ? true : undefined,
  };
}
