import type { ReactNode } from 'react';
import type { Series } from './series.ts';
import { Swatch } from './texture.tsx';
import { valueText, type Measure } from './value-axis.ts';

/** The values at one position of the axis. */
export function ChartTooltip({
  title,
  values,
  series,
  measure,
  isStacked,
  previous,
}: {
  readonly title: string;
  readonly values: Series['values'];
  readonly series: readonly Series[];
  readonly measure: Measure;
  readonly isStacked: boolean;
  readonly previous?: { readonly name: string; readonly value: number | null } | undefined;
}): ReactNode {
  // In a large stack, empty series are omitted.
  const shown = series
    .map(({ name, style }, index) => ({ name, style, value: values[index] }))
    .filter(({ value }) => !isStacked || (value ?? 0) > 0);
  return (
    <div className="figures max-w-40 min-w-20 rounded-medium border border-line bg-raised p-1 text-small shadow-float">
      <div className="mb-0.5 text-soft">{title}</div>
      {shown.map(({ name, style, value }) => (
        <div key={name} className="flex items-center gap-1">
          <Swatch style={style} />
          <span className="min-w-0 flex-1 wrap-anywhere">{name}</span>
          <span className="font-strong">{textOf(value, measure)}</span>
        </div>
      ))}
      {isStacked && shown.length !== 1 ? (
        <div className="flex justify-between gap-1">
          <span>Total</span>
          <span className="font-strong">{valueText(sumOf(values), measure)}</span>
        </div>
      ) : null}
      {previous ? (
        <div className="flex justify-between gap-1 text-soft">
          <span>{previous.name}</span>
          <span>{textOf(previous.value, measure)}</span>
        </div>
      ) : null}
    </div>
  );
}

/** The value with its unit; a dash for no value. */
export function textOf(value: number | null | undefined, measure: Measure): string {
  return value == null ? '–' : valueText(value, measure);
}

export function sumOf(values: Series['values']): number {
  return values.reduce((sum: number, each) => sum + (each ?? 0), 0);
}
