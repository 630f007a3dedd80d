import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { bucketsOf, type Range } from '../../data/range.ts';
import { atFormat } from '../../data/time-axis.ts';
import { Legend, Lines, StackedBars, type Series } from '../../design/chart.tsx';
import { duration, money, percent, short } from '../../design/format.ts';
import { hueOf } from '../../design/hue.ts';
import { Skeleton } from '../../design/state.tsx';
import type { OverviewModelsQuery, OverviewUsageQuery, TotalsFragment } from '../../generated/graphql.ts';
import { metrics, type Metric } from './search.ts';

type Usage = OverviewUsageQuery['usage'];

const titles: Readonly<Record<Metric, string>> = {
  spend: 'Spend',
  requests: 'Requests',
  tokens: 'Tokens',
  errors: 'Errors',
  latency: 'Latency',
};

const allLinks = [{ status: undefined, text: 'See the requests behind it' }] as const;
/** All count as errors, and the log is filtered by one state at a time. */
const errorLinks = [
  { status: 'FAILED', text: 'See the failed requests' },
  { status: 'INTERRUPTED', text: 'See the interrupted requests' },
  { status: 'REJECTED', text: 'See the rejected requests' },
] as const;

/** More series than there are hues say nothing: the rest is one. */
const MOST_SERIES = 7;

export function Metrics({
  usage,
  models,
  range,
  metric,
  onMetric,
}: {
  readonly usage: Usage | null;
  readonly models: OverviewModelsQuery | null;
  readonly range: Range;
  readonly metric: Metric;
  readonly onMetric: (metric: Metric) => void;
}): ReactNode {
  return (
    <section aria-label="Usage" className="flex flex-col gap-3">
      <div role="group" aria-label="Figure" className="grid grid-cols-2 gap-1 md:grid-cols-5">
        {metrics.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === metric}
            onClick={() => onMetric(each)}
            className="figures min-w-0 rounded-medium border border-transparent p-1.5 text-left last:max-md:col-span-2 hover:bg-hover aria-pressed:border-line aria-pressed:bg-panel"
          >
            <span className="block text-soft">{titles[each]}</span>
            <span className="mt-0.5 block truncate text-huge tracking-[-0.01em]">
              {usage ? headline(each, usage.total) : <Skeleton className="my-0.5 h-3 w-10" />}
            </span>
            <span className="block truncate text-small text-soft">{usage ? note(each, usage.total) : ' '}</span>
          </button>
        ))}
      </div>
      {usage ? (
        <MetricChart usage={usage} models={models} range={range} metric={metric} />
      ) : (
        <Skeleton className="h-30 w-full" />
      )}
    </section>
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
      return percent(total.errors, total.requests);
    case 'latency':
      return total.latency ? duration(total.latency.p50) : '–';
  }
}

function note(metric: Metric, total: Usage['total']): string {
  switch (metric) {
    case 'spend':
      return total.requests > 0 ? `${money(Number(total.cost.amount) / total.requests)} a request` : 'USD';
    case 'requests':
      return total.errors > 0 ? `${short(total.errors)} failed` : 'all answered';
    case 'tokens':
      return `${short(total.inputTokens)} in, ${short(total.outputTokens)} out`;
    case 'errors':
      return `${short(total.errors)} of ${short(total.requests)}`;
    case 'latency':
      return total.latency ? `p50; p95 is ${duration(total.latency.p95)}` : 'no request yet';
  }
}

function MetricChart({
  usage,
  models,
  range,
  metric,
}: {
  readonly usage: Usage;
  readonly models: OverviewModelsQuery | null;
  readonly range: Range;
  readonly metric: Metric;
}): ReactNode {
  const at = useMemo(() => bucketsOf(range, usage.timeZone), [range, usage.timeZone]);
  const series = useMemo(
    () => (metric === 'latency' ? latencySeries(usage, at) : modelSeries(models, metric, at)),
    [usage, models, metric, at],
  );
  const format = metric === 'spend' ? money : metric === 'latency' ? duration : short;
  const formatAt = atFormat(range.interval, usage.timeZone);
  const Chart = metric === 'latency' ? Lines : StackedBars;
  return (
    <div className="flex flex-col gap-1">
      <Chart label={`${titles[metric]} over time`} {...{ at, series, format, formatAt }} isCount={format === short} />
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1 pl-8 max-md:pl-0">
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

/** By when its bucket begins: what the server sends is the same moment, perhaps in another form. */
function placesOf(at: readonly string[]): Map<number, number> {
  return new Map(at.map((each, index) => [Date.parse(each), index]));
}

function latencySeries(usage: Usage, at: readonly string[]): Series[] {
  const places = placesOf(at);
  const of = (pick: (latency: { p50: number; p95: number }) => number): Series['values'] => {
    // Where nothing was asked for, nothing took 0 ms.
    const values = at.map((): number | null => null);
    for (const { start, usage: totals } of usage.groups) {
      const place = places.get(Date.parse(start ?? ''));
      if (place !== undefined && totals.latency) values[place] = pick(totals.latency);
    }
    return values;
  };
  return [
    { name: 'p95', colour: 'var(--color-hue-3)', values: of(({ p95 }) => p95) },
    { name: 'p50', colour: 'var(--color-hue-1)', values: of(({ p50 }) => p50) },
  ];
}

function modelSeries(models: OverviewModelsQuery | null, metric: Metric, at: readonly string[]): Series[] {
  if (models === null) return [];
  const places = placesOf(at);
  const totals = models.models.groups
    .map(({ model, usage }) => ({ name: model || 'No model', amount: amountOf(metric, usage) }))
    .filter(({ amount }) => amount > 0)
    .toSorted((one, other) => other.amount - one.amount);
  const own = new Set(totals.slice(0, MOST_SERIES).map(({ name }) => name));
  const values = new Map<string, number[]>();
  for (const { start, model, usage } of models.byTime.groups) {
    const amount = amountOf(metric, usage);
    const place = places.get(Date.parse(start ?? ''));
    if (place === undefined || amount === 0) continue;
    const name = own.has(model || 'No model') ? model || 'No model' : OTHERS;
    const line = values.get(name) ?? at.map(() => 0);
    line[place] = (line[place] ?? 0) + amount;
    values.set(name, line);
  }
  return [...own, OTHERS].flatMap((name) => {
    const line = values.get(name);
    return line ? [{ name, colour: name === OTHERS ? 'var(--color-edge)' : hueOf(name), values: line }] : [];
  });
}

const OTHERS = 'Other models';

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
