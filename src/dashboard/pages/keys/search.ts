import { text, type Given } from '../../data/search.ts';

export interface KeysSearch {
  readonly search?: string;
  readonly revoked?: true;
  /** The key whose details are open. */
  readonly key?: string;
  readonly create?: true;
}

export function keysSearch(given: Given): KeysSearch {
  return {
    search: text(given.search),
    revoked: given.revoked === true ? true : undefined,
    key: text(given.key),
    create: given.create === true ? true : undefined,
  };
}
