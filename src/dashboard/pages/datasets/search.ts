import { nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

export interface DatasetsSearch {
  readonly create?: true;
}

export function datasetsSearch(input: UntrustedSearch): DatasetsSearch {
  return { create: input.create === true ? true : undefined };
}

export interface DatasetSearch {
  /** The item whose content is open. */
  readonly item?: string;
}

export function datasetSearch(input: UntrustedSearch): DatasetSearch {
  return { item: nonEmptyText(input.item) };
}
