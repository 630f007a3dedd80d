import { count, duration, money, scorePercent } from '../../../../design/format.ts';
import type { DatasetRunModelPartsFragment, DatasetScorer } from '../../../../generated/graphql.ts';
import { scorerTitle } from '../scorers.ts';

export type RunModel = DatasetRunModelPartsFragment;

/** A column of the comparison. */
export interface Metric {
  /** In the URL and in the header of the CSV file. */
  readonly name: string;
  readonly title: string;
  /** Null where it is unknown. */
  readonly value: (model: RunModel) => number | null;
  readonly format: (value: number) => string;
  /** Number of items that the value is of, where that is not the number of completed requests. */
  readonly itemsOf?: (model: RunModel) => number | null;
  /** Which value is the best; absent where none is. */
  readonly best?: 'lowest' | 'highest';
  /** Whether the values of the models are of as many items; by default they can be compared. */
  readonly isComparable?: (models: readonly RunModel[]) => boolean;
}

const speed = (value: number): string => `${value < 10 ? value.toFixed(1) : count(value)} tokens/s`;

/** A model that fails for the difficult items is better in nothing for that. */
const haveCompletedAlike = (models: readonly RunModel[]): boolean =>
  models.every(({ completed }) => completed > 0 && completed === models[0]?.completed);

const figures: readonly Metric[] = [
  { name: 'completed', title: 'Completed', value: ({ completed }) => completed, format: count, best: 'highest' },
  { name: 'failed', title: 'Failed', value: ({ failed }) => failed, format: count, best: 'lowest' },
  {
    name: 'cost_usd',
    title: 'Cost',
    value: ({ costUsd }) => (costUsd == null ? null : Number(costUsd)),
    format: money,
    best: 'lowest',
    isComparable: haveCompletedAlike,
  },
  {
    name: 'cost_per_item_usd',
    title: 'Cost per item',
    value: ({ costUsd, completed }) => (costUsd == null || completed === 0 ? null : Number(costUsd) / completed),
    format: money,
    best: 'lowest',
    isComparable: haveCompletedAlike,
  },
  {
    name: 'latency_p50_ms',
    title: 'Latency p50',
    value: ({ latencyP50Ms }) => latencyP50Ms ?? null,
    format: duration,
    best: 'lowest',
    isComparable: haveCompletedAlike,
  },
  {
    name: 'latency_p95_ms',
    title: 'Latency p95',
    value: ({ latencyP95Ms }) => latencyP95Ms ?? null,
    format: duration,
    best: 'lowest',
    isComparable: haveCompletedAlike,
  },
  { name: 'input_tokens', title: 'Input tokens', value: ({ inputTokens }) => inputTokens, format: count },
  { name: 'output_tokens', title: 'Output tokens', value: ({ outputTokens }) => outputTokens, format: count },
  {
    name: 'output_tokens_per_second',
    title: 'Speed',
    value: ({ outputTokensPerSecond }) => outputTokensPerSecond ?? null,
    format: speed,
    best: 'highest',
    isComparable: haveCompletedAlike,
  },
];

/** The scores first: they say what the run is for. */
export function metricsOf(scorers: readonly DatasetScorer[]): readonly Metric[] {
  const scores = scorers.map((scorer): Metric => {
    const scoreOf = ({ scores: each }: RunModel): RunModel['scores'][number] | null =>
      each.find((score) => score.scorer === scorer) ?? null;
    const itemsOf = (model: RunModel): number | null => scoreOf(model)?.count ?? null;
    return {
      name: `score_${scorer.toLowerCase()}`,
      title: scorerTitle(scorer),
      value: (model) => scoreOf(model)?.average ?? null,
      format: scorePercent,
      itemsOf,
      best: 'highest',
      isComparable: (models) => models.every((model) => itemsOf(model) === itemsOf(models[0] ?? model)),
    };
  });
  return [...scores, ...figures];
}

/** The best value of a column; null where no model is better than another, or the run has one. */
export function bestOf({ value, best, isComparable }: Metric, models: readonly RunModel[]): number | null {
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
  models: readonly RunModel[],
): readonly RunModel[] {
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
  models: readonly RunModel[],
): readonly (readonly (string | number)[])[] {
  return [
    ['model', 'requests', ...metrics.flatMap(({ name, itemsOf }) => (itemsOf ? [name, `${name}_count`] : [name]))],
    ...models.map((model) => [
      model.model,
      model.total,
      ...metrics.flatMap(({ value, itemsOf }) =>
        itemsOf ? [value(model) ?? '', itemsOf(model) ?? 0] : [value(model) ?? ''],
      ),
    ]),
  ];
}
