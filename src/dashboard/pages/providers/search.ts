import { text, type Given } from '../../data/search.ts';

export interface ProvidersSearch {
  /** The provider whose details are open. */
  readonly provider?: string;
  /** The provider that is being connected; `other` for one that is not known by name. */
  readonly connect?: string;
  /** A part of the name of those that could be connected. */
  readonly search?: string;
}

/** For a server that is not known by name. */
export const OTHER = 'other';

export function providersSearch(given: Given): ProvidersSearch {
  return { provider: text(given.provider), connect: text(given.connect), search: text(given.search) };
}
