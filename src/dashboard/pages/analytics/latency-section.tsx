import { useMemo, type ReactNode } from 'react';
import { LineChart } from '../../design/chart.tsx';
import { count } from '../../design/format.ts';
import { Legend } from '../../design/legend.tsx';
import { Section } from '../../design/page.tsx';
import { QueryContent } from '../../design/state.tsx';
import type { Measure } from '../../design/value-axis.ts';
import type { ChartTime } from '../../data/time-axis.ts';
import { percentileSeries, previousLine, valuesAt, type Percentiles } from './series.ts';
import type { Analytics } from './use-analytics.ts';

interface Charted {
  readonly label: string;
  readonly measure: Measure;
  readonly emptyText: string;
  readonly values: readonly (Percentiles | null)[];
  readonly before: readonly (Percentiles | null)[];
}

/** Percentiles of times and of the output speed. */
export function LatencySection({ analytics }: { readonly analytics: Analytics }): ReactNode {
  const { totals, sample, time, before } = analytics;
  return (
    <Section title="Latency and output speed">
      <div className="grid gap-3 lg:grid-cols-3">
        <QueryContent query={totals} className="h-28">
          {({ current, previous }) => (
            <>
              <PercentileChart
                time={time}
                label="Time to first token"
                measure="duration"
                emptyText="No first tokens in this period."
                values={valuesAt(current.groups, time, ({ usage }) => usage.firstToken ?? null)}
                before={valuesAt(previous.groups, before, ({ usage }) => usage.firstToken ?? null)}
              />
              <PercentileChart
                time={time}
                label="Duration"
                measure="duration"
                emptyText="No durations in this period."
                values={valuesAt(current.groups, time, ({ usage }) => usage.latency ?? null)}
                before={valuesAt(previous.groups, before, ({ usage }) => usage.latency ?? null)}
              />
            </>
          )}
        </QueryContent>
        <QueryContent query={sample} className="h-28">
          {({ current, previous }) => (
            <div className="flex min-w-0 flex-col gap-0.5">
              <PercentileChart
                time={time}
                label="Output speed"
                measure="speed"
                emptyText="No streamed responses in this period."
                values={valuesAt(current.intervals, time, ({ figures }) => figures.outputSpeed ?? null)}
                before={valuesAt(previous.intervals, before, ({ figures }) => figures.outputSpeed ?? null)}
              />
              <SampleNote {...current.total} />
            </div>
          )}
        </QueryContent>
      </div>
    </Section>
  );
}

/** States that not all requests were read. */
export function SampleNote({
  requests,
  isComplete,
}: {
  readonly requests: number;
  readonly isComplete: boolean;
}): ReactNode {
  if (isComplete) return null;
  return (
    <p role="note" className="text-small text-soft">
      {`Computed from the latest requests of each interval, ${count(requests)} in total.`}
    </p>
  );
}

function PercentileChart({
  time,
  label,
  measure,
  emptyText,
  values,
  before,
}: Charted & { readonly time: ChartTime }): ReactNode {
  const series = useMemo(() => percentileSeries(values), [values]);
  const previous = useMemo(
    () =>
      previousLine(
        before.map((each) => each?.p50 ?? null),
        'Previous p50',
      ),
    [before],
  );
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <h3 className="font-strong">{label}</h3>
      <LineChart label={`${label} over time`} height={160} {...{ time, series, measure, emptyText, previous }} />
      <Legend series={series} />
    </div>
  );
}
