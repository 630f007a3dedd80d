import { isRangeName, type RangeName } from '../../data/range.ts';
import { oneOf, type Given } from '../../data/search.ts';

export const metrics = ['spend', 'requests', 'tokens', 'errors', 'latency'] as const;
export type Metric = (typeof metrics)[number];

export function overviewSearch(given: Given): { range?: RangeName; metric?: Metric } {
  return { range: isRangeName(given.range) ? given.range : undefined, metric: oneOf(metrics, given.metric) };
}
