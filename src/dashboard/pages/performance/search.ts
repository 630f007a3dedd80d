import { isRangeName, type RangeName } from '../../data/range.ts';
import { oneOf, type UntrustedSearch } from '../../data/search.ts';

export const performanceMetrics = ['latency', 'firstToken', 'throughput', 'errors', 'uptime'] as const;
export type PerformanceMetric = (typeof performanceMetrics)[number];

export interface PerformanceSearch {
  readonly range?: RangeName;
  readonly metric?: PerformanceMetric;
}

export function performanceSearch(input: UntrustedSearch): PerformanceSearch {
  return {
    range: isRangeName(input.range) ? input.range : undefined,
    metric: oneOf(performanceMetrics, input.metric),
  };
}
