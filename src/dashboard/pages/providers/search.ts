import { text, type Given } from '../../data/search.ts';

export interface ProvidersSearch {
  /** The provider whose details are open. */
  readonly provider?: string;
  /** The provider in the connect form; `other` for a server that is not a known provider. */
  readonly connect?: string;
  /** Search text for known providers. */
  readonly search?: string;
}

/** A server that is not a known provider. */
export const OTHER = 'other';

export function providersSearch(given: Given): ProvidersSearch {
  return { provider: text(given.provider), connect: text(given.connect), search: text(given.search) };
}
