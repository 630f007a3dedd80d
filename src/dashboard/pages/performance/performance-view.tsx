import { useMemo, type ReactNode } from 'react';
import type { RangeName } from '../../data/range.ts';
import { LineChart } from '../../design/chart.tsx';
import { count, duration, speed } from '../../design/format.ts';
import { Legend } from '../../design/legend.tsx';
import { RangePicker } from '../../design/range-picker.tsx';
import type { PerformanceFiguresPartsFragment, PerformancePartsFragment } from '../../generated/graphql.ts';
import { BreakerBadge } from '../providers/health-badge.tsx';
import { performanceMeasures, performanceSeries } from './performance-series.ts';
import { performanceMetrics, type PerformanceMetric, type PerformanceSearch } from './search.ts';

const titles: Readonly<Record<PerformanceMetric, string>> = {
  latency: 'Latency',
  firstToken: 'First token',
  throughput: 'Throughput',
  errors: 'Error rate',
  uptime: 'Uptime',
};

export function PerformanceRange({
  search,
  onChange,
}: {
  readonly search: PerformanceSearch;
  readonly onChange: (next: PerformanceSearch) => void;
}): ReactNode {
  return <RangePicker chosen={search.range ?? '7d'} onChoose={(range: RangeName) => onChange({ ...search, range })} />;
}

/** Figures of a range, one of them over time, and the errors. */
export function PerformanceView({
  report,
  search,
  onChange,
}: {
  readonly report: PerformancePartsFragment;
  readonly search: PerformanceSearch;
  readonly onChange: (next: PerformanceSearch) => void;
}): ReactNode {
  const { total, intervals, interval, timeZone } = report;
  const metric = search.metric ?? 'latency';
  const time = useMemo(
    () => ({ at: intervals.map(({ start }) => start), interval, timeZone }),
    [intervals, interval, timeZone],
  );
  const series = useMemo(() => performanceSeries(intervals, metric), [intervals, metric]);
  return (
    <div className="flex flex-col gap-3">
      <div role="group" aria-label="Metric" className="grid grid-cols-2 gap-1 md:grid-cols-5">
        {performanceMetrics.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === metric}
            onClick={() => onChange({ ...search, metric: each })}
            className="figures min-w-0 rounded-medium border border-transparent p-1.5 text-left last:max-md:col-span-2 hover:bg-hover aria-pressed:border-line aria-pressed:bg-panel"
          >
            <span className="block text-soft">{titles[each]}</span>
            <span className="mt-0.5 block text-large font-strong wrap-anywhere">{headline(each, total)}</span>
            <span className="block text-small text-soft">{note(each, total)}</span>
          </button>
        ))}
      </div>
      <LineChart
        label={`${titles[metric]} over time`}
        time={time}
        series={series}
        measure={performanceMeasures[metric]}
        emptyText="No measurements in this range."
        height={200}
      />
      <Legend series={series} />
      <Targets targets={report.targets} />
      <ErrorCounts report={report} />
    </div>
  );
}

function headline(metric: PerformanceMetric, figures: PerformanceFiguresPartsFragment): string {
  const { latency, firstToken, tokensPerSecond, errorRate, uptime } = figures;
  switch (metric) {
    case 'latency':
      return latency ? duration(latency.p50) : '–';
    case 'firstToken':
      return firstToken ? duration(firstToken.p50) : '–';
    case 'throughput':
      return tokensPerSecond == null ? '–' : `${speed(tokensPerSecond)} tokens/s`;
    case 'errors':
      return share(errorRate);
    case 'uptime':
      return share(uptime);
  }
}

function note(metric: PerformanceMetric, figures: PerformanceFiguresPartsFragment): string {
  const { latency, firstToken, attempts, requests } = figures;
  switch (metric) {
    case 'latency':
      return latency ? `p50, p95 ${duration(latency.p95)}` : 'No requests';
    case 'firstToken':
      return firstToken ? `p50, p95 ${duration(firstToken.p95)}` : 'No streamed requests';
    case 'throughput':
      return 'after the first token';
    case 'errors':
      return `of ${count(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}`;
    case 'uptime':
      return `${count(requests)} ${requests === 1 ? 'request' : 'requests'}`;
  }
}

/** Three digits, so that 99.9% and 100% differ. */
export function share(value: number | null | undefined): string {
  if (value == null) return '–';
  const percent = value * 100;
  return `${percent === 100 || percent === 0 ? percent : Math.min(99.99, Number(percent.toFixed(percent < 10 ? 2 : percent > 99 ? 2 : 1)))}%`;
}

/** The health of targets now, from this server's own traffic. */
function Targets({ targets }: { readonly targets: PerformancePartsFragment['targets'] }): ReactNode {
  const failing = targets.filter(({ breaker, availableInMs }) => breaker !== 'CLOSED' || availableInMs > 0);
  if (failing.length === 0) return null;
  return (
    <ul aria-label="Targets that are avoided now" className="figures flex flex-col">
      {failing.map(({ model, breaker, availableInMs }) => (
        <li key={model} className="flex flex-wrap items-center gap-x-2 border-t border-line py-0.5">
          <span className="min-w-0 flex-1 font-mono text-small wrap-anywhere">{model}</span>
          {availableInMs > 0 ? (
            <span className="text-small text-soft">available in {duration(availableInMs)}</span>
          ) : null}
          <BreakerBadge state={breaker} />
        </li>
      ))}
    </ul>
  );
}

function ErrorCounts({ report: { errors, total } }: { readonly report: PerformancePartsFragment }): ReactNode {
  if (errors.length === 0) return null;
  return (
    <section aria-label="Errors by code" className="flex flex-col gap-1">
      <h3>Errors by code</h3>
      <p className="text-soft">
        An attempt after which another target served the request counts here, too. Uptime counts attempts without a
        response or with status 500 and above.
      </p>
      <ul className="figures flex flex-col">
        {errors.map(({ code, attempts }) => (
          <li key={code} className="flex justify-between gap-2 border-t border-line py-0.5">
            <code className="min-w-0 wrap-anywhere">{code}</code>
            <span className="shrink-0">
              {count(attempts)} <span className="text-soft">({share(attempts / Math.max(1, total.attempts))})</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
