import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import type { QueryState } from '../../data/graphql/hooks.ts';
import { bucketsOf, type Range } from '../../data/range.ts';
import { LineChart, StackedBarChart } from '../../design/chart.tsx';
import { duration, money, percent, short } from '../../design/format.ts';
import { Incomplete, Legend } from '../../design/legend.tsx';
import { QueryContent, emptyText, Skeleton } from '../../design/state.tsx';
import type { Measure } from '../../design/value-axis.ts';
import type { OverviewModelsQuery, OverviewUsageQuery } from '../../generated/graphql.ts';
import { latencySeries, modelSeries } from './metric-series.ts';
import { metrics, type Metric } from './search.ts';

type Usage = OverviewUsageQuery['usage'];

const titles: Readonly<Record<Metric, string>> = {
  spend: 'Spend',
  requests: 'Requests',
  tokens: 'Tokens',
  errors: 'Errors',
  latency: 'Latency',
};

const measures: Readonly<Record<Metric, Measure>> = {
  spend: 'USD',
  requests: 'requests',
  tokens: 'tokens',
  errors: 'errors',
  latency: 'duration',
};

const emptyTexts: Readonly<Record<Metric, string>> = {
  spend: emptyText('spend'),
  requests: emptyText('requests'),
  tokens: emptyText('tokens'),
  errors: emptyText('errors'),
  latency: emptyText('response times'),
};

const allLinks = [{ status: undefined, text: 'Show requests' }] as const;
/** All of these count as errors. The log filters by one state at a time. */
const errorLinks = [
  { status: 'FAILED', text: 'Show failed requests' },
  { status: 'INTERRUPTED', text: 'Show interrupted requests' },
  { status: 'REJECTED', text: 'Show rejected requests' },
] as const;

export function Metrics({
  usage,
  models,
  range,
  metric,
  onMetric,
}: {
  readonly usage: QueryState<OverviewUsageQuery>;
  readonly models: QueryState<OverviewModelsQuery>;
  readonly range: Range;
  readonly metric: Metric;
  readonly onMetric: (metric: Metric) => void;
}): ReactNode {
  return (
    <section aria-label="Usage" className="flex flex-col gap-3">
      <div role="group" aria-label="Metric" className="grid grid-cols-2 gap-1 md:grid-cols-5">
        {metrics.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === metric}
            onClick={() => onMetric(each)}
            className="figures min-w-0 rounded-medium border border-transparent p-1.5 text-left last:max-md:col-span-2 hover:bg-hover aria-pressed:border-line aria-pressed:bg-panel"
          >
            <span className="block text-soft">{titles[each]}</span>
            <Tile metric={each} usage={usage} />
          </button>
        ))}
      </div>
      <QueryContent query={usage} className="h-32">
        {(data) =>
          metric === 'latency' ? (
            <MetricChart usage={data.usage} models={null} range={range} metric={metric} />
          ) : (
            <QueryContent query={models} className="h-32">
              {(byModel) => <MetricChart usage={data.usage} models={byModel} range={range} metric={metric} />}
            </QueryContent>
          )
        }
      </QueryContent>
    </section>
  );
}

function Tile({
  metric,
  usage,
}: {
  readonly metric: Metric;
  readonly usage: QueryState<OverviewUsageQuery>;
}): ReactNode {
  const total = usage.data?.usage.total;
  const isLoading = !total && !usage.failure;
  return (
    <>
      <span className="mt-0.5 block text-huge wrap-anywhere tracking-[-0.01em]">
        {isLoading ? <Skeleton className="my-0.5 h-3 w-10" /> : total ? headline(metric, total) : '–'}
      </span>
      <span className="block text-small text-soft">{total ? note(metric, total) : ' '}</span>
    </>
  );
}

function headline(metric: Metric, total: Usage['total']): string {
  switch (metric) {
    case 'spend':
      return money(total.cost.amount);
    case 'requests':
      return short(total.requests);
    case 'tokens':
      return short(total.inputTokens + total.outputTokens);
    case 'errors':
      return total.requests > 0 ? percent(total.errors, total.requests) : '–';
    case 'latency':
      return total.latency ? duration(total.latency.p50) : '–';
  }
}

function note(metric: Metric, total: Usage['total']): string {
  if (total.requests === 0)
    return metric === 'spend' && Number(total.cost.amount) > 0 ? 'For earlier requests' : 'No requests';
  switch (metric) {
    case 'spend':
      return `${money(Number(total.cost.amount) / total.requests)} per request`;
    case 'requests':
      return total.errors === 0 ? 'No errors' : `${short(total.errors)} ${total.errors === 1 ? 'error' : 'errors'}`;
    case 'tokens':
      return `${short(total.inputTokens)} input, ${short(total.outputTokens)} output`;
    case 'errors':
      return `${short(total.errors)} of ${short(total.requests)} requests`;
    case 'latency':
      return total.latency ? `p50, p95 ${duration(total.latency.p95)}` : 'No response times';
  }
}

function MetricChart({
  usage,
  models,
  range,
  metric,
}: {
  readonly usage: Usage;
  /** Null when the metric is not grouped by model. */
  readonly models: OverviewModelsQuery | null;
  readonly range: Range;
  readonly metric: Metric;
}): ReactNode {
  const { timeZone } = usage;
  const time = useMemo(
    () => ({ at: bucketsOf(range, timeZone), interval: range.interval, timeZone }),
    [range, timeZone],
  );
  const series = useMemo(
    () => (models === null ? latencySeries(usage, time) : modelSeries(models, metric, time)),
    [usage, models, metric, time],
  );
  const Chart = models === null ? LineChart : StackedBarChart;
  return (
    <div className="flex flex-col gap-1">
      <Chart
        label={`${titles[metric]} over time`}
        time={time}
        series={series}
        measure={measures[metric]}
        emptyText={emptyTexts[metric]}
      />
      {models?.byTime.truncated ? <Incomplete /> : null}
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
        <Legend series={series} />
        <span className="flex flex-wrap gap-x-2 text-small">
          {(metric === 'errors' ? errorLinks : allLinks).map(({ status, text }) => (
            <Link
              key={text}
              to="/billing/usage"
              search={{ from: range.from, to: range.to, status }}
              className="text-accent underline underline-offset-2"
            >
              {text}
            </Link>
          ))}
        </span>
      </div>
    </div>
  );
}
