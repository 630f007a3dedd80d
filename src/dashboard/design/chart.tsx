import { useMemo, type ReactNode } from 'react';
import { Area, AreaChart, Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';

export interface Series {
  readonly name: string;
  readonly colour: string;
  /** One for each place on the axis; null where there is none. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  /** What the chart shows, for who cannot see it. */
  readonly label: string;
  readonly at: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Of things that are counted: the axis has whole numbers alone. */
  readonly isCount?: boolean;
  /** How a place on the axis reads. */
  readonly formatAt: (at: string) => string;
  readonly height?: number;
}

const tick = { fill: 'var(--color-soft)', fontSize: 12 };
const margin = { top: 8, right: 0, bottom: 0, left: 0 };

/** Amounts by time, one upon the other. */
export function StackedBars(props: ChartProps): ReactNode {
  const rows = useRows(props);
  return (
    <Frame {...props}>
      <BarChart data={rows} margin={margin} barCategoryGap="24%" accessibilityLayer={false}>
        {axes(props)}
        {props.series.map((each, index) => (
          <Bar
            key={each.name}
            dataKey={(row: Row) => row.values[index] ?? 0}
            name={each.name}
            stackId="all"
            fill={each.colour}
            isAnimationActive={false}
            maxBarSize={32}
          />
        ))}
      </BarChart>
    </Frame>
  );
}

/** Levels by time, each by itself. */
export function Lines(props: ChartProps): ReactNode {
  const rows = useRows(props);
  return (
    <Frame {...props}>
      <AreaChart data={rows} margin={margin} accessibilityLayer={false}>
        {axes(props)}
        {props.series.map((each, index) => (
          <Area
            key={each.name}
            dataKey={(row: Row) => row.values[index] ?? null}
            name={each.name}
            type="monotone"
            stroke={each.colour}
            strokeWidth={2}
            fill={each.colour}
            fillOpacity={0.08}
            dot={({ index: place, cx, cy }) =>
              isLonely(each.values, place) ? <circle key={place} cx={cx} cy={cy} r={3} fill={each.colour} /> : null
            }
            isAnimationActive={false}
          />
        ))}
      </AreaChart>
    </Frame>
  );
}

/** Whether there is a level with none before and none after it: no line would show it. */
function isLonely(values: Series['values'], place: number): boolean {
  return values[place] != null && values[place - 1] == null && values[place + 1] == null;
}

interface Row {
  readonly at: string;
  readonly values: Series['values'];
}

function useRows({ at, series }: ChartProps): Row[] {
  return useMemo(
    () => at.map((each, index) => ({ at: each, values: series.map(({ values }) => values[index] ?? null) })),
    [at, series],
  );
}

function axes({ format, isCount = false, formatAt, series }: ChartProps): ReactNode[] {
  return [
    <CartesianGrid key="grid" vertical={false} stroke="var(--color-line)" />,
    <XAxis
      key="x"
      dataKey="at"
      tickFormatter={formatAt}
      tick={tick}
      tickLine={false}
      axisLine={false}
      minTickGap={32}
      tickMargin={8}
    />,
    <YAxis
      key="y"
      tickFormatter={format}
      tick={tick}
      tickLine={false}
      axisLine={false}
      width={64}
      tickCount={4}
      allowDecimals={!isCount}
    />,
    <Tooltip
      key="tip"
      isAnimationActive={false}
      cursor={{ fill: 'var(--color-hover)', stroke: 'var(--color-line)' }}
      content={({ active, label, payload }) =>
        active ? <Tip at={String(label)} values={valuesOf(payload)} {...{ format, formatAt, series }} /> : null
      }
    />,
  ];
}

function valuesOf(payload: readonly { readonly payload?: Row }[] | undefined): Series['values'] {
  return payload?.[0]?.payload?.values ?? [];
}

function Tip({
  at,
  values,
  series,
  format,
  formatAt,
}: Pick<ChartProps, 'series' | 'format' | 'formatAt'> & { at: string; values: Series['values'] }): ReactNode {
  return (
    <div className="figures min-w-20 rounded-medium border border-line bg-raised p-1 text-small shadow-float">
      <div className="mb-0.5 text-soft">{formatAt(at)}</div>
      {series.map((each, index) => (
        <div key={each.name} className="flex items-center gap-1">
          <span aria-hidden className="size-1 shrink-0 rounded-small" style={{ background: each.colour }} />
          <span className="min-w-0 flex-1 truncate">{each.name}</span>
          <span className="font-strong">{textOf(values[index], format)}</span>
        </div>
      ))}
    </div>
  );
}

function textOf(value: number | null | undefined, format: ChartProps['format']): string {
  return value == null ? '–' : format(value);
}

/** The chart, and the same figures as a table for who reads with ears. */
function Frame({
  label,
  at,
  series,
  format,
  formatAt,
  height = 240,
  children,
}: ChartProps & { children: ReactNode }): ReactNode {
  return (
    <figure aria-label={label}>
      <div aria-hidden style={{ height }}>
        <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 640, height }}>
          {children}
        </ResponsiveContainer>
      </div>
      <div className="sr-only">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th>Time</th>
              {series.map((each) => (
                <th key={each.name}>{each.name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {at.map((each, index) => (
              <tr key={each}>
                <th scope="row">{formatAt(each)}</th>
                {series.map(({ name, values }) => (
                  <td key={name}>{textOf(values[index], format)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

export function Legend({ series }: { readonly series: readonly Pick<Series, 'name' | 'colour'>[] }): ReactNode {
  return (
    <ul className="flex flex-wrap gap-x-2 gap-y-0.5 text-small text-soft">
      {series.map((each) => (
        <li key={each.name} className="flex min-w-0 items-center gap-0.75">
          <span aria-hidden className="size-1 shrink-0 rounded-small" style={{ background: each.colour }} />
          <span className="truncate">{each.name}</span>
        </li>
      ))}
    </ul>
  );
}
