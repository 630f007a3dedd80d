import { count, duration, money, scorePercent } from '../../../../design/format.ts';
import type { DatasetRunModelPartsFragment, DatasetScorer } from '../../../../generated/graphql.ts';
import { scorerTitle } from '../scorers.ts';

export type RunModel = DatasetRunModelPartsFragment;

/** A model with the figures that are compared. */
export interface ComparedModel extends RunModel {
  /** Number of completed requests that the figures are of. */
  readonly items: number;
}

/** A column of the comparison. */
export interface Metric {
  /** In the URL and in the header of the CSV file. */
  readonly name: string;
  readonly title: string;
  /** Null where it is unknown. */
  readonly value: (model: ComparedModel) => number | null;
  readonly format: (value: number) => string;
  /** Number of items that the value is of, where that is not the number of completed requests. */
  readonly itemsOf?: (model: ComparedModel) => number | null;
  /** Which value is the best; absent where none is. */
  readonly best?: 'lowest' | 'highest';
  /** Whether the values of the models are of the same items; by default they can be compared. */
  readonly isComparable?: (models: readonly ComparedModel[]) => boolean;
}

const speed = (value: number): string => `${value < 10 ? value.toFixed(1) : count(value)} tokens/s`;

/** Number of items that all models completed. A run that ended before this was counted is compared where all did all. */
const commonItems = ({ common, total }: RunModel): number => (common == null ? total : common.items);

/** Items that all models completed are among those of each: as many are the same ones. */
const areOfSameItems = (models: readonly ComparedModel[]): boolean =>
  models.every((model) => model.items > 0 && model.items === commonItems(model));

const figures: readonly Metric[] = [
  { name: 'completed', title: 'Completed', value: ({ completed }) => completed, format: count, best: 'highest' },
  { name: 'failed', title: 'Failed', value: ({ failed }) => failed, format: count, best: 'lowest' },
  {
    name: 'cost_usd',
    title: 'Cost',
    value: ({ costUsd }) => (costUsd == null ? null : Number(costUsd)),
    format: money,
    best: 'lowest',
    isComparable: areOfSameItems,
  },
  {
    name: 'cost_per_item_usd',
    title: 'Cost per item',
    value: ({ costUsd, items }) => (costUsd == null || items === 0 ? null : Number(costUsd) / items),
    format: money,
    best: 'lowest',
    isComparable: areOfSameItems,
  },
  {
    name: 'latency_p50_ms',
    title: 'Latency p50',
    value: ({ latencyP50Ms }) => latencyP50Ms ?? null,
    format: duration,
    best: 'lowest',
    isComparable: areOfSameItems,
  },
  {
    name: 'latency_p95_ms',
    title: 'Latency p95',
    value: ({ latencyP95Ms }) => latencyP95Ms ?? null,
    format: duration,
    best: 'lowest',
    isComparable: areOfSameItems,
  },
  { name: 'input_tokens', title: 'Input tokens', value: ({ inputTokens }) => inputTokens, format: count },
  { name: 'output_tokens', title: 'Output tokens', value: ({ outputTokens }) => outputTokens, format: count },
  {
    name: 'output_tokens_per_second',
    title: 'Speed',
    value: ({ outputTokensPerSecond }) => outputTokensPerSecond ?? null,
    format: speed,
    best: 'highest',
    isComparable: areOfSameItems,
  },
];

/** Of the judge of a model, apart from its own figures. */
const judgeFigures: readonly Metric[] = [
  { name: 'judge_failed', title: 'Judge failed', value: ({ judge }) => judge?.failed ?? null, format: count },
  {
    name: 'judge_cost_usd',
    title: 'Judge cost',
    value: ({ judge }) => (judge?.costUsd == null ? null : Number(judge.costUsd)),
    format: money,
  },
];

type Score = RunModel['scores'][number];

function scoreOf(scores: readonly Score[], scorer: DatasetScorer): Score | null {
  return scores.find((score) => score.scorer === scorer) ?? null;
}

/** Number of items of which all models have a score. */
function commonlyScored({ common, total }: RunModel, scorer: DatasetScorer): number {
  return common == null ? total : (scoreOf(common.scores, scorer)?.count ?? 0);
}

/** The scores first: they say what the run is for. */
export function metricsOf(scorers: readonly DatasetScorer[]): readonly Metric[] {
  const scores = scorers.map((scorer): Metric => {
    const itemsOf = (model: ComparedModel): number | null => scoreOf(model.scores, scorer)?.count ?? null;
    return {
      name: `score_${scorer.toLowerCase()}`,
      title: scorerTitle(scorer),
      value: (model) => scoreOf(model.scores, scorer)?.average ?? null,
      format: scorePercent,
      itemsOf,
      best: 'highest',
      isComparable: (models) => models.every((model) => itemsOf(model) === commonlyScored(model, scorer)),
    };
  });
  return [...scores, ...figures, ...(scorers.includes('JUDGE') ? judgeFigures : [])];
}

/** The models with their own figures. */
export function withOwnFigures(models: readonly RunModel[]): readonly ComparedModel[] {
  return models.map((model) => ({ ...model, items: model.completed }));
}

/** The models with their figures over the items that all of them completed; own ones where these are not known. */
export function withCommonFigures(models: readonly RunModel[]): readonly ComparedModel[] {
  return models.map(({ common, ...model }) => {
    if (common == null) return { ...model, common, items: model.completed };
    return { ...model, ...common, common };
  });
}

/** Which items the models of a run are compared over. */
export interface Comparability {
  /** Number of items that all models completed. */
  readonly items: number;
  /** Whether the figures of a model are of other items, too. */
  readonly differs: boolean;
}

/** Null for one model, and before the end of the run. */
export function comparabilityOf(models: readonly RunModel[], scorers: readonly DatasetScorer[]): Comparability | null {
  const items = models[0]?.common?.items;
  if (models.length < 2 || items === undefined) return null;
  const isOfCommonItems = (model: RunModel): boolean =>
    model.completed === items &&
    scorers.every((scorer) => (scoreOf(model.scores, scorer)?.count ?? 0) === commonlyScored(model, scorer));
  return { items, differs: !models.every(isOfCommonItems) };
}

/** The best value of a column; null where no model is better than another, or the run has one. */
export function bestOf({ value, best, isComparable }: Metric, models: readonly ComparedModel[]): number | null {
  if (best === undefined || models.length < 2 || isComparable?.(models) === false) return null;
  const values = models.flatMap((model) => value(model) ?? []);
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  if (values.length === 0 || lowest === highest) return null;
  return best === 'lowest' ? lowest : highest;
}

/** Models without a value are last. @param metric null for the order of the run */
export function sortedBy(
  metric: Pick<Metric, 'value'> | null,
  descends: boolean,
  models: readonly ComparedModel[],
): readonly ComparedModel[] {
  if (metric === null) return models;
  return models.toSorted((one, other) => {
    const [a, b] = [metric.value(one), metric.value(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return descends ? b - a : a - b;
  });
}

/** The comparison as rows of a CSV file, without formats. */
export function comparisonRows(
  metrics: readonly Metric[],
  models: readonly ComparedModel[],
): readonly (readonly (string | number)[])[] {
  return [
    [
      'model',
      'requests',
      'items',
      ...metrics.flatMap(({ name, itemsOf }) => (itemsOf ? [name, `${name}_count`] : [name])),
    ],
    ...models.map((model) => [
      model.model,
      model.total,
      model.items,
      ...metrics.flatMap(({ value, itemsOf }) =>
        itemsOf ? [value(model) ?? '', itemsOf(model) ?? 0] : [value(model) ?? ''],
      ),
    ]),
  ];
}
