import { useMemo, useState, type ReactNode } from 'react';
import { CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { foreignZone, timeAxis, type ChartTime, type TimeAxis } from '../data/time-axis.ts';
import { ChartTooltip, textOf } from './chart-tooltip.tsx';
import type { Series } from './series.ts';
import { isMeasured, valueAxis, type Measure, type ValueAxis } from './value-axis.ts';

export interface ChartProps {
  /** Accessible name. */
  readonly label: string;
  readonly time: ChartTime;
  readonly series: readonly Series[];
  readonly measure: Measure;
  /** Shown without series. */
  readonly emptyText: string;
  readonly height?: number;
  /** The same in the previous period: a lighter line. */
  readonly previous?: PreviousValues | undefined;
}

export interface PreviousValues {
  readonly name: string;
  /** One per position of the axis; null for no value. */
  readonly values: Series['values'];
}

export interface Row {
  readonly at: string;
  readonly values: Series['values'];
  readonly previous: number | null;
}

const tick = { fill: 'var(--color-soft)', fontSize: 12 };
export const margin = { top: 8, right: 24, bottom: 0, left: 0 };
const INITIAL_WIDTH_PX = 640;
/** Maximum width of a character, and the space next to the text. */
const TICK_CHARACTER_PX = 7;
const TICK_SPACE_PX = 12;
/** Width of a label on the time axis, including space. */
const TIME_TICK_PX = 64;
const MAX_TIME_TICKS = 10;

/** The chart with its units, and the same figures as a table for screen readers. */
export function ChartFrame({
  label,
  time,
  series,
  measure,
  emptyText,
  max,
  isStacked = false,
  height = 240,
  previous,
  children,
}: ChartProps & {
  /** Largest value. */
  readonly max: number;
  readonly isStacked?: boolean;
  readonly children: (axes: ReactNode[]) => ReactNode;
}): ReactNode {
  const [width, setWidth] = useState(INITIAL_WIDTH_PX);
  const axis = useMemo(() => timeAxis(time), [time]);
  const value = useMemo(() => valueAxis(max, measure), [max, measure]);
  if (series.length === 0)
    return (
      <figure aria-label={label} className="grid place-items-center rounded-medium bg-panel p-2" style={{ height }}>
        <p className="text-center text-soft">{emptyText}</p>
      </figure>
    );
  const axes = axesOf({ time: axis, value, width }, (row) => (
    <ChartTooltip
      title={axis.text(row.at)}
      previous={previous && { name: previous.name, value: row.previous }}
      {...{ values: row.values, series, measure, isStacked }}
    />
  ));
  return (
    <figure aria-label={label}>
      <Units text={isMeasured(measure) ? `${value.unit}, by` : `${value.unit} per`} time={time} />
      <div aria-hidden style={{ height }}>
        <ResponsiveContainer
          width="100%"
          height="100%"
          initialDimension={{ width: INITIAL_WIDTH_PX, height }}
          onResize={setWidth}
        >
          {children(axes)}
        </ResponsiveContainer>
      </div>
      <ValueTable {...{ label, time, series, measure, axis, previous }} />
    </figure>
  );
}

interface Axes {
  readonly time: TimeAxis;
  readonly value: ValueAxis;
  /** Total width in pixels. */
  readonly width: number;
}

function axesOf({ time, value, width }: Axes, renderTooltip: (row: Row) => ReactNode): ReactNode[] {
  const texts = value.ticks.map(value.format);
  const valueWidth = TICK_SPACE_PX + TICK_CHARACTER_PX * Math.max(...texts.map(({ length }) => length));
  const space = width - valueWidth - margin.right;
  const maxTicks = Math.min(MAX_TIME_TICKS, Math.max(2, Math.floor(space / TIME_TICK_PX)));
  return [
    <CartesianGrid key="grid" vertical={false} stroke="var(--color-line)" />,
    <XAxis
      key="x"
      dataKey="at"
      ticks={[...time.ticks(maxTicks)]}
      interval={0}
      tickFormatter={time.tickText}
      tick={tick}
      tickLine={false}
      axisLine={false}
      tickMargin={8}
    />,
    <YAxis
      key="y"
      domain={[0, value.ticks.at(-1) ?? 1]}
      ticks={[...value.ticks]}
      interval={0}
      tickFormatter={value.format}
      tick={tick}
      tickLine={false}
      axisLine={false}
      width={valueWidth}
    />,
    <Tooltip
      key="tip"
      isAnimationActive={false}
      cursor={{ fill: 'var(--color-hover)', stroke: 'var(--color-line)' }}
      content={({ active, payload }) => {
        const row = active ? rowOf(payload) : undefined;
        return row ? renderTooltip(row) : null;
      }}
    />,
  ];
}

function rowOf(payload: readonly { readonly payload?: Row }[] | undefined): Row | undefined {
  return payload?.[0]?.payload;
}

/** The unit of the values, and the time zone of days if it differs. */
function Units({ text, time }: { readonly text: string; readonly time: ChartTime }): ReactNode {
  const zone = foreignZone(time);
  return (
    <p className="flex flex-wrap justify-between gap-x-2 text-small text-soft">
      <span>{`${text} ${time.interval === 'HOUR' ? 'hour' : 'day'}`}</span>
      {zone ? <span>{`Days in the time zone ${zone}`}</span> : null}
    </p>
  );
}

function ValueTable({
  label,
  time,
  series,
  measure,
  axis,
  previous,
}: Pick<ChartProps, 'label' | 'time' | 'series' | 'measure' | 'previous'> & { readonly axis: TimeAxis }): ReactNode {
  return (
    <div className="sr-only">
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th>Time</th>
            {series.map(({ name }) => (
              <th key={name}>{name}</th>
            ))}
            {previous ? <th>{previous.name}</th> : null}
          </tr>
        </thead>
        <tbody>
          {time.at.map((each, index) => (
            <tr key={each}>
              <th scope="row">{axis.text(each)}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{textOf(values[index], measure)}</td>
              ))}
              {previous ? <td>{textOf(previous.values[index], measure)}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
