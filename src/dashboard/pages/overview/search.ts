import { isRangeName, type RangeName } from '../../data/range.ts';
import { oneOf, type UntrustedSearch } from '../../data/search.ts';

export const metrics = ['spend', 'requests', 'tokens', 'errors', 'latency'] as const;
export type Metric = (typeof metrics)[number];

export function overviewSearch(input: UntrustedSearch): { range?: RangeName; metric?: Metric } {
  return { range: isRangeName(input.range) ? input.range : undefined, metric: oneOf(metrics, input.metric) };
}
