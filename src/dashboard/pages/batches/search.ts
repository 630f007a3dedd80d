import { nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

export interface BatchesSearch {
  /** The batch whose details are open. */
  readonly batch?: string;
}

export function batchesSearch(input: UntrustedSearch): BatchesSearch {
  return { batch: nonEmptyText(input.batch) };
}
