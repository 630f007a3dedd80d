import { nonEmptyText, type UntrustedSearch } from '../../data/search.ts';
import type { DatasetScorer } from '../../generated/graphql.ts';
import { allScorers } from './runs/scorers.ts';

export interface DatasetsSearch {
  readonly create?: true;
}

export function datasetsSearch(input: UntrustedSearch): DatasetsSearch {
  return { create: input.create === true ? true : undefined };
}

/** The server's limits. */
export const MAX_RUN_MODELS = 8;
export const MAX_TEMPERATURE = 2;

/** Settings of a run that another one starts with. */
export interface RunDefaults {
  readonly scorers?: readonly DatasetScorer[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** The model that judges the outputs. */
  readonly judge?: string;
  readonly rubric?: string;
  readonly passFail?: true;
}

export interface DatasetSearch extends RunDefaults {
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
    ...runDefaults(input),
  };
}

function runDefaults({ scorers, temperature, maxTokens, judge, rubric, passFail }: UntrustedSearch): RunDefaults {
  const known = Array.isArray(scorers) ? allScorers.filter((each) => scorers.includes(each)) : [];
  const isTemperature = typeof temperature === 'number' && temperature >= 0 && temperature <= MAX_TEMPERATURE;
  const isMaxTokens = typeof maxTokens === 'number' && Number.isInteger(maxTokens) && maxTokens >= 1;
  return {
    scorers: known.length > 0 ? known : undefined,
    temperature: isTemperature ? temperature : undefined,
    maxTokens: isMaxTokens ? maxTokens : undefined,
    judge: nonEmptyText(judge),
    rubric: nonEmptyText(rubric),
    passFail: passFail === true ? true : undefined,
  };
}
