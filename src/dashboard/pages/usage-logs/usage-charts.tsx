import { memo, useMemo, type ReactNode } from 'react';
import { useRead } from '../../data/hooks.ts';
import { bucketsOf, type Range } from '../../data/range.ts';
import { Button } from '../../design/button.tsx';
import { Legend, StackedBars, type Series } from '../../design/chart.tsx';
import { money, short } from '../../design/format.ts';
import { hueOf } from '../../design/hue.ts';
import { Failed, Skeleton } from '../../design/state.tsx';
import { UsageChartsDocument, type UsageChartsQuery } from '../../generated/graphql.ts';
import { atFormat } from '../../data/time-axis.ts';
import { chartsBy, type UsageLogsSearch } from './search.ts';

const MOST_SERIES = 7;
const OTHERS = 'Others';
const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** Sums do not know these filters: they are of the rows alone. */
const rowFilters = [
  ['status', 'state'],
  ['endUser', 'end user'],
  ['tag', 'tag'],
  ['requestId', 'request id'],
] as const;

/** What the range cost, by model or by key. */
export const UsageCharts = memo(function UsageCharts({
  search,
  range,
  by,
  onBy,
}: {
  readonly search: UsageLogsSearch;
  readonly range: Range;
  readonly by: (typeof chartsBy)[number];
  readonly onBy: (by: (typeof chartsBy)[number]) => void;
}): ReactNode {
  const { data, failure, again } = useRead(UsageChartsDocument, {
    range: { from: range.from, to: range.to },
    interval: range.interval,
    groupBy: [by === 'model' ? 'MODEL' : 'KEY'],
    filter: { model: search.model, provider: search.provider, apiKeyId: search.key },
  });
  const timeZone = data?.usage.timeZone ?? 'UTC';
  const at = useMemo(() => bucketsOf(range, timeZone), [range, timeZone]);
  const series = useMemo(() => (data ? seriesOf(data.usage.groups, by, at) : []), [data, by, at]);
  if (failure) return <Failed failure={failure} again={again} />;
  const ignored = rowFilters.filter(([name]) => search[name]).map(([, label]) => label);
  const isFree = data !== null && Number(data.usage.total.cost.amount) === 0;
  return (
    <section aria-label="Cost over time" className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="figures flex flex-1 flex-wrap gap-x-3">
          {data ? (
            <>
              <span>
                <strong>{money(data.usage.total.cost.amount)}</strong> <span className="text-soft">spent</span>
              </span>
              <span>
                <strong>{short(data.usage.total.requests)}</strong> <span className="text-soft">requests</span>
              </span>
              <span>
                <strong>{short(data.usage.total.inputTokens + data.usage.total.outputTokens)}</strong>{' '}
                <span className="text-soft">tokens</span>
              </span>
            </>
          ) : (
            <Skeleton className="h-2.5 w-30" />
          )}
        </div>
        <div role="group" aria-label="Chart by" className="flex gap-0.5">
          {chartsBy.map((each) => (
            <Button
              key={each}
              look={each === by ? 'plain' : 'quiet'}
              aria-pressed={each === by}
              onClick={() => onBy(each)}
            >
              By {each}
            </Button>
          ))}
        </div>
      </div>
      {ignored.length > 0 ? (
        <p className="text-small text-soft">
          These sums and the chart are of more than the rows below: they leave the filter by {list.format(ignored)} out.
        </p>
      ) : null}
      {data ? (
        <>
          <StackedBars
            label={`${isFree ? 'Requests' : 'Cost'} over time by ${by}`}
            at={at}
            series={series}
            format={isFree ? short : money}
            isCount={isFree}
            formatAt={atFormat(range.interval, timeZone)}
            height={160}
          />
          <Legend series={series} />
        </>
      ) : (
        <Skeleton className="h-20" />
      )}
    </section>
  );
});

/** Cost; requests, where nothing has a price. */
function seriesOf(groups: UsageChartsQuery['usage']['groups'], by: 'model' | 'key', at: readonly string[]): Series[] {
  const places = new Map(at.map((each, index) => [Date.parse(each), index]));
  const isFree = groups.every(({ usage }) => Number(usage.cost.amount) === 0);
  const lines = new Map<string, { total: number; values: number[] }>();
  for (const { start, model, apiKey, usage } of groups) {
    const name = by === 'model' ? (model ?? 'unknown') : (apiKey?.name ?? 'Dashboard');
    const amount = isFree ? usage.requests : Number(usage.cost.amount);
    const line = lines.get(name) ?? { total: 0, values: at.map(() => 0) };
    const place = places.get(Date.parse(start ?? ''));
    if (place !== undefined) line.values[place] = (line.values[place] ?? 0) + amount;
    line.total += amount;
    lines.set(name, line);
  }
  const sorted = [...lines].toSorted(([, one], [, other]) => other.total - one.total);
  const others = sorted.slice(MOST_SERIES);
  return [
    ...sorted.slice(0, MOST_SERIES).map(([name, { values }]) => ({ name, colour: hueOf(name), values })),
    ...(others.length > 0
      ? [
          {
            name: OTHERS,
            colour: 'var(--color-edge)',
            values: at.map((_, index) => others.reduce((sum, [, { values }]) => sum + (values[index] ?? 0), 0)),
          },
        ]
      : []),
  ];
}
