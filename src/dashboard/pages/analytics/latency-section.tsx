import { useMemo, type ReactNode } from 'react';
import { LineChart } from '../../design/chart.tsx';
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
  const { totals, time, before } = analytics;
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
              <PercentileChart
                time={time}
                label="Output speed"
                measure="speed"
                emptyText="No output speed was measured in this period."
                values={valuesAt(current.groups, time, ({ usage }) => usage.outputSpeed ?? null)}
                before={valuesAt(previous.groups, before, ({ usage }) => usage.outputSpeed ?? null)}
              />
            </>
          )}
        </QueryContent>
      </div>
    </Section>
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
