import type { Series } from '../../design/series.ts';
import type { SeriesStyle } from '../../design/series-style.ts';
import type { Measure } from '../../design/value-axis.ts';
import type { PerformanceFiguresPartsFragment, PerformancePartsFragment } from '../../generated/graphql.ts';
import type { PerformanceMetric } from './search.ts';

const solid: SeriesStyle = { colour: 'var(--color-hue-1)', texture: 'solid' };
const striped: SeriesStyle = { colour: 'var(--color-hue-7)', texture: 'stripes' };
const bad: SeriesStyle = { colour: 'var(--color-bad)', texture: 'solid' };
const good: SeriesStyle = { colour: 'var(--color-good)', texture: 'solid' };

export const performanceMeasures: Readonly<Record<PerformanceMetric, Measure>> = {
  latency: 'duration',
  firstToken: 'duration',
  throughput: 'speed',
  errors: 'percent',
  uptime: 'percent',
};

type Figures = PerformanceFiguresPartsFragment;
interface Line {
  readonly name: string;
  readonly style: SeriesStyle;
  readonly of: (figures: Figures) => number | null | undefined;
}

const lines: Readonly<Record<PerformanceMetric, readonly Line[]>> = {
  latency: [
    { name: 'p95', style: striped, of: ({ latency }) => latency?.p95 },
    { name: 'p50', style: solid, of: ({ latency }) => latency?.p50 },
  ],
  firstToken: [
    { name: 'p95', style: striped, of: ({ firstToken }) => firstToken?.p95 },
    { name: 'p50', style: solid, of: ({ firstToken }) => firstToken?.p50 },
  ],
  throughput: [{ name: 'Output tokens per second', style: solid, of: ({ tokensPerSecond }) => tokensPerSecond }],
  errors: [{ name: 'Attempts with an error', style: bad, of: ({ errorRate }) => inPercent(errorRate) }],
  uptime: [{ name: 'Uptime', style: good, of: ({ uptime }) => inPercent(uptime) }],
};

/** Lines over the intervals of a report; intervals without data are gaps. Empty without any data. */
export function performanceSeries(
  intervals: PerformancePartsFragment['intervals'],
  metric: PerformanceMetric,
): Series[] {
  const series = lines[metric].map(({ name, style, of }) => ({
    name,
    style,
    values: intervals.map(({ figures }) => of(figures) ?? null),
  }));
  return series.every(({ values }) => values.every((value) => value === null)) ? [] : series;
}

function inPercent(share: number | null | undefined): number | null {
  return share == null ? null : share * 100;
}
