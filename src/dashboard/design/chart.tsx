import { useId, useMemo, type ReactNode } from 'react';
import { Area, AreaChart, Bar, ComposedChart, Line } from 'recharts';
import { ChartFrame, margin, type ChartProps, type Row } from './chart-frame.tsx';
import { sumOf } from './chart-tooltip.tsx';
import type { Series } from './series.ts';
import { dashes, fillOf, TexturePattern } from './texture.tsx';

/** Stacked amounts over time. */
export function StackedBarChart(props: ChartProps): ReactNode {
  const { series } = props;
  const id = useId();
  const rows = useRows(props);
  const max = useMemo(
    () => Math.max(0, ...rows.map(({ values, previous }) => Math.max(sumOf(values), previous ?? 0))),
    [rows],
  );
  return (
    <ChartFrame {...props} max={max} isStacked>
      {(axes) => (
        <ComposedChart data={rows} margin={margin} barCategoryGap="24%" accessibilityLayer={false}>
          <defs>
            {series.map(({ name, style }, index) => (
              <TexturePattern key={name} id={`${id}${index}`} style={style} />
            ))}
          </defs>
          {axes}
          {series.map(({ name, style }, index) => (
            <Bar
              key={name}
              dataKey={(row: Row) => row.values[index] ?? 0}
              name={name}
              stackId="all"
              fill={fillOf(style, `${id}${index}`)}
              isAnimationActive={false}
              maxBarSize={32}
            />
          ))}
          {props.previous ? <Line {...previousLine} name={props.previous.name} /> : null}
        </ComposedChart>
      )}
    </ChartFrame>
  );
}

/** Values over time, one line per series. */
export function LineChart(props: ChartProps): ReactNode {
  const { series } = props;
  const rows = useRows(props);
  const max = useMemo(
    () => Math.max(0, ...rows.flatMap(({ values, previous }) => [...values, previous].map((each) => each ?? 0))),
    [rows],
  );
  return (
    <ChartFrame {...props} max={max}>
      {(axes) => (
        <AreaChart data={rows} margin={margin} accessibilityLayer={false}>
          {axes}
          {props.previous ? <Area {...previousLine} fill="none" name={props.previous.name} /> : null}
          {series.map(({ name, style, values }, index) => (
            <Area
              key={name}
              dataKey={(row: Row) => row.values[index] ?? null}
              name={name}
              type="monotone"
              stroke={style.colour}
              strokeWidth={2}
              strokeDasharray={dashes[style.texture]}
              fill={style.colour}
              fillOpacity={0.08}
              dot={({ index: place, cx, cy }) =>
                isIsolated(values, place) ? <circle key={place} cx={cx} cy={cy} r={3} fill={style.colour} /> : null
              }
              isAnimationActive={false}
            />
          ))}
        </AreaChart>
      )}
    </ChartFrame>
  );
}

const previousLine = {
  dataKey: (row: Row) => row.previous,
  type: 'monotone',
  stroke: 'var(--color-soft)',
  strokeOpacity: 0.6,
  strokeWidth: 1.5,
  strokeDasharray: '3 3',
  dot: false,
  activeDot: false,
  isAnimationActive: false,
} as const;

/** Whether a value has no neighbours: a line would not show it. */
function isIsolated(values: Series['values'], place: number): boolean {
  return values[place] != null && values[place - 1] == null && values[place + 1] == null;
}

function useRows({ time: { at }, series, previous }: ChartProps): Row[] {
  return useMemo(
    () =>
      at.map((each, index) => ({
        at: each,
        values: series.map(({ values }) => values[index] ?? null),
        previous: previous?.values[index] ?? null,
      })),
    [at, series, previous],
  );
}
