import { memo, useMemo, type ReactNode } from 'react';
import { useRetainedData, useQuery } from '../../data/graphql/hooks.ts';
import { bucketsOf, type Range } from '../../data/range.ts';
import { Button } from '../../design/button.tsx';
import { StackedBarChart } from '../../design/chart.tsx';
import { count, localTime, money, short } from '../../design/format.ts';
import { Incomplete, Legend } from '../../design/legend.tsx';
import { seriesOf } from '../../design/series.ts';
import { QueryContent, emptyText, Skeleton } from '../../design/state.tsx';
import type { Measure } from '../../design/value-axis.ts';
import { UsageChartsDocument, type UsageChartsQuery } from '../../generated/graphql.ts';
import { hasFilter, filterOf } from './filter.ts';
import { chartsBy, figures, type UsageLogsSearch } from './search.ts';
import { amountsOf, sumsOf, type Figure } from './usage-sums.ts';
import { UsageTable } from './usage-table.tsx';

/** Requests that the totals of a search cover. */
const MAX_SUMMED = 50_000;

const titles: Readonly<Record<Figure, string>> = { cost: 'Estimated cost', requests: 'Requests', tokens: 'Tokens' };
const measures: Readonly<Record<Figure, Measure>> = { cost: 'USD', requests: 'requests', tokens: 'tokens' };
const plurals: Readonly<Record<Figure, string>> = { cost: 'costs', requests: 'requests', tokens: 'tokens' };

/** Usage by model or key: a chart of one metric and a table of all metrics. */
export const UsageCharts = memo(function UsageCharts({
  search,
  range,
  onChange,
}: {
  readonly search: UsageLogsSearch;
  readonly range: Range;
  readonly onChange: (next: Pick<UsageLogsSearch, 'by' | 'figure'>) => void;
}): ReactNode {
  const by = search.by ?? 'model';
  const filter = filterOf(search);
  const result = useQuery(UsageChartsDocument, {
    range: { from: range.from, to: range.to },
    interval: range.interval,
    groupBy: [by === 'model' ? 'MODEL' : 'KEY'],
    filter,
  });
  const retained = useRetainedData(result, JSON.stringify([by, filter, search.range, search.from, search.to]));
  const { data } = retained;
  // Requests are the default when nothing was billed.
  const figure = search.figure ?? (data && Number(data.usage.total.cost.amount) === 0 ? 'requests' : 'cost');
  return (
    <section aria-label="Usage over time" className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="flex-1">
          {data ? <Totals total={data.usage.total} /> : retained.failure ? null : <Skeleton className="h-2.5 w-30" />}
        </div>
        <Choice
          label="Metric"
          options={figures}
          chosen={figure}
          textOf={(each) => titles[each]}
          onChoose={(next) => onChange({ figure: next })}
        />
        <Choice
          label="Group by"
          options={chartsBy}
          chosen={by}
          textOf={(each) => `By ${each}`}
          onChoose={(next) => onChange({ by: next })}
        />
      </div>
      <QueryContent query={retained} className="h-22">
        {({ usage }) => (
          <FigureChart usage={usage} range={range} by={by} figure={figure} isFiltered={hasFilter(search)} />
        )}
      </QueryContent>
    </section>
  );
});

/** A chart of one metric and a table of all metrics. */
function FigureChart({
  usage: { groups, timeZone, truncated, from, coveredFrom },
  range,
  by,
  figure,
  isFiltered,
}: {
  readonly usage: UsageChartsQuery['usage'];
  readonly range: Range;
  readonly by: (typeof chartsBy)[number];
  readonly figure: Figure;
  readonly isFiltered: boolean;
}): ReactNode {
  const { interval } = range;
  const time = useMemo(() => ({ at: bucketsOf(range, timeZone), interval, timeZone }), [range, interval, timeZone]);
  const sums = useMemo(() => sumsOf(groups, by, figure), [groups, by, figure]);
  const series = useMemo(() => seriesOf(by, amountsOf(groups, by, figure), time.at), [groups, by, figure, time]);
  return (
    <>
      <StackedBarChart
        label={`${titles[figure]} over time by ${by}`}
        time={time}
        series={series}
        measure={measures[figure]}
        emptyText={emptyText(plurals[figure], isFiltered)}
        height={160}
      />
      <Legend series={series} />
      {truncated ? <Incomplete /> : null}
      {Date.parse(coveredFrom) > Date.parse(from) ? <Covered since={coveredFrom} /> : null}
      <UsageTable by={by} sums={sums} />
    </>
  );
}

/** Shown where more requests match a search than are summed. */
function Covered({ since }: { readonly since: string }): ReactNode {
  return (
    <p role="note" className="text-small text-soft">
      Totals and chart cover the latest {count(MAX_SUMMED)} requests that match, since {localTime(since)}. For earlier
      ones, choose an earlier period.
    </p>
  );
}

function Totals({ total }: { readonly total: UsageChartsQuery['usage']['total'] }): ReactNode {
  return (
    <div role="group" aria-label="Totals" className="figures flex flex-wrap gap-x-3">
      <span>
        <strong>{money(total.cost.amount)}</strong> <span className="text-soft">spent</span>
      </span>
      <span>
        <strong>{short(total.requests)}</strong>{' '}
        <span className="text-soft">{total.requests === 1 ? 'request' : 'requests'}</span>
      </span>
      {total.errors > 0 ? (
        <span>
          <strong>{short(total.errors)}</strong>{' '}
          <span className="text-soft">{total.errors === 1 ? 'error' : 'errors'}</span>
        </span>
      ) : null}
      <span>
        <strong>{short(total.inputTokens + total.outputTokens)}</strong> <span className="text-soft">tokens</span>
      </span>
    </div>
  );
}

export function Choice<Option extends string>({
  label,
  options,
  chosen,
  textOf,
  onChoose,
}: {
  readonly label: string;
  readonly options: readonly Option[];
  readonly chosen: Option;
  readonly textOf: (option: Option) => string;
  readonly onChoose: (option: Option) => void;
}): ReactNode {
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-0.5">
      {options.map((each) => (
        <Button
          key={each}
          variant={each === chosen ? 'plain' : 'quiet'}
          aria-pressed={each === chosen}
          onClick={() => onChoose(each)}
        >
          {textOf(each)}
        </Button>
      ))}
    </div>
  );
}
