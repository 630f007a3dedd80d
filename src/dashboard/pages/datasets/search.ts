import { nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

export interface DatasetsSearch {
  readonly create?: true;
}

export function datasetsSearch(input: UntrustedSearch): DatasetsSearch {
  return { create: input.create === true ? true : undefined };
}

/** The server's limit. */
export const MAX_RUN_MODELS = 8;

export interface DatasetSearch {
  readonly tab?: 'runs';
  /** The item whose content is open. */
  readonly item?: string;
  /** The form that starts a run is open. */
  readonly start?: true;
  /** The models that are selected in it. */
  readonly models?: readonly string[];
}

export function datasetSearch(input: UntrustedSearch): DatasetSearch {
  const models = Array.isArray(input.models) ? input.models.filter((each) => typeof each === 'string') : [];
  return {
    tab: input.tab === 'runs' ? 'runs' : undefined,
    item: nonEmptyText(input.item),
    start: input.start === true ? true : undefined,
    models: models.length > 0 ? [...new Set(models)].slice(0, MAX_RUN_MODELS) : undefined,
  };
}
