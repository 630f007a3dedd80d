import { seriesOf, type Series } from '../../design/series.ts';
import type { SeriesStyle } from '../../design/series-style.ts';
import type { ChartTime } from '../../data/time-axis.ts';
import type { OverviewModelsQuery, OverviewUsageQuery, TotalsFragment } from '../../generated/graphql.ts';
import type { Metric } from './search.ts';

const p95Style: SeriesStyle = { colour: 'var(--color-hue-7)', texture: 'stripes' };
const p50Style: SeriesStyle = { colour: 'var(--color-hue-1)', texture: 'solid' };

/** Milliseconds. */
export function latencySeries({ groups }: OverviewUsageQuery['usage'], { at }: ChartTime): Series[] {
  const measured = new Map(groups.map(({ start, usage }) => [Date.parse(start ?? ''), usage.latency]));
  const latencies = at.map((each) => measured.get(Date.parse(each)) ?? null);
  if (latencies.every((each) => each === null)) return [];
  const of = (percentile: 'p50' | 'p95'): Series['values'] => latencies.map((each) => each?.[percentile] ?? null);
  return [
    { name: 'p95', style: p95Style, values: of('p95') },
    { name: 'p50', style: p50Style, values: of('p50') },
  ];
}

export function modelSeries({ byTime }: OverviewModelsQuery, metric: Metric, { at }: ChartTime): Series[] {
  const amounts = byTime.groups.map(({ start, model, usage }) => ({
    name: model || 'Unknown model',
    start,
    amount: amountOf(metric, usage),
  }));
  return seriesOf('model', amounts, at);
}

function amountOf(metric: Metric, usage: TotalsFragment): number {
  switch (metric) {
    case 'spend':
      return Number(usage.cost.amount);
    case 'tokens':
      return usage.inputTokens + usage.outputTokens;
    case 'errors':
      return usage.errors;
    default:
      return usage.requests;
  }
}
