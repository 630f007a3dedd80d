import type { PreviousValues } from '../../design/chart-frame.tsx';
import type { Series } from '../../design/series.ts';
import type { SeriesStyle } from '../../design/series-style.ts';
import type { ChartTime } from '../../data/time-axis.ts';

const styles = {
  p50: { colour: 'var(--color-hue-1)', texture: 'solid' },
  p95: { colour: 'var(--color-hue-7)', texture: 'stripes' },
  p99: { colour: 'var(--color-hue-3)', texture: 'dots' },
} as const satisfies Record<string, SeriesStyle>;

export type Percentiles = Readonly<Record<keyof typeof styles, number>>;

/** Percentiles of each interval, the largest first; none without any. */
export function percentileSeries(values: readonly (Percentiles | null)[]): Series[] {
  if (values.every((each) => each === null)) return [];
  return (['p99', 'p95', 'p50'] as const).map((name) => ({
    name,
    style: styles[name],
    values: values.map((each) => each?.[name] ?? null),
  }));
}

export const rateStyle: SeriesStyle = styles.p50;

/** The value of each interval of a chart; null without one. */
export function valuesAt<Row extends { readonly start?: string | null }, Value>(
  rows: readonly Row[],
  { at }: ChartTime,
  valueOf: (row: Row) => Value | null,
): (Value | null)[] {
  const byStart = new Map(rows.map((row) => [Date.parse(row.start ?? ''), row]));
  return at.map((each) => {
    const row = byStart.get(Date.parse(each));
    return row === undefined ? null : valueOf(row);
  });
}

/** The line of the previous period; none without values. */
export function previousLine(values: readonly (number | null)[], name = 'Previous period'): PreviousValues | undefined {
  return values.some((each) => each !== null) ? { name, values } : undefined;
}
