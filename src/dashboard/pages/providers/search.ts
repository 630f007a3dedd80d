import { nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

export interface ProvidersSearch {
  /** The provider whose details are open. */
  readonly provider?: string;
  /** The provider in the connect form; `other` for a server that is not a known provider. */
  readonly connect?: string;
  /** Search text for known providers. */
  readonly search?: string;
}

/** A server that is not a known provider. */
export const OTHER_SERVER = 'other';

export function providersSearch(input: UntrustedSearch): ProvidersSearch {
  return {
    provider: nonEmptyText(input.provider),
    connect: nonEmptyText(input.connect),
    search: nonEmptyText(input.search),
  };
}
