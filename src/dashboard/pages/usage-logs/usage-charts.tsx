import { memo, useMemo, type ReactNode } from 'react';
import { useRead } from '../../data/hooks.ts';
import { bucketsOf, type Range } from '../../data/range.ts';
import { atFormat } from '../../data/time-axis.ts';
import { Button } from '../../design/button.tsx';
import { Legend, StackedBars } from '../../design/chart.tsx';
import { money, short } from '../../design/format.ts';
import { Failed, Skeleton } from '../../design/state.tsx';
import { UsageChartsDocument, type UsageChartsQuery } from '../../generated/graphql.ts';
import { narrowing } from './filter.ts';
import { chartsBy, figures, type UsageLogsSearch } from './search.ts';
import { seriesOf, sumsOf, type Figure } from './usage-sums.ts';
import { UsageTable } from './usage-table.tsx';

const titles: Readonly<Record<Figure, string>> = { cost: 'Estimated cost', requests: 'Requests', tokens: 'Tokens' };

/** What the range used, by model or by key: as a chart of one figure, and all of them as a table. */
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
  const { data, failure, again } = useRead(UsageChartsDocument, {
    range: { from: range.from, to: range.to },
    interval: range.interval,
    groupBy: [by === 'model' ? 'MODEL' : 'KEY'],
    filter: narrowing(search),
  });
  const timeZone = data?.usage.timeZone ?? 'UTC';
  // Where nothing has a price, requests say more.
  const figure = search.figure ?? (data && Number(data.usage.total.cost.amount) === 0 ? 'requests' : 'cost');
  const at = useMemo(() => bucketsOf(range, timeZone), [range, timeZone]);
  const sums = useMemo(() => (data ? sumsOf(data.usage.groups, by, figure) : []), [data, by, figure]);
  const series = useMemo(
    () => (data ? seriesOf(data.usage.groups, sums, { by, figure, at }) : []),
    [data, sums, by, figure, at],
  );
  if (failure) return <Failed failure={failure} again={again} />;
  return (
    <section aria-label="Usage over time" className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {data ? <Totals total={data.usage.total} /> : <Skeleton className="h-2.5 w-30" />}
        <Choice
          label="Figure"
          options={figures}
          chosen={figure}
          textOf={(each) => titles[each]}
          onChoose={(next) => onChange({ figure: next })}
        />
        <Choice
          label="Chart by"
          options={chartsBy}
          chosen={by}
          textOf={(each) => `By ${each}`}
          onChoose={(next) => onChange({ by: next })}
        />
      </div>
      {data ? (
        <>
          <StackedBars
            label={`${titles[figure]} over time by ${by}`}
            at={at}
            series={series}
            format={figure === 'cost' ? money : short}
            isCount={figure !== 'cost'}
            formatAt={atFormat(range.interval, timeZone)}
            height={160}
          />
          <Legend series={series} />
          <UsageTable by={by} sums={sums} />
        </>
      ) : (
        <Skeleton className="h-20" />
      )}
    </section>
  );
});

function Totals({ total }: { readonly total: UsageChartsQuery['usage']['total'] }): ReactNode {
  return (
    <div className="figures flex flex-1 flex-wrap gap-x-3">
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

function Choice<Option extends string>({
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
          look={each === chosen ? 'plain' : 'quiet'}
          aria-pressed={each === chosen}
          onClick={() => onChoose(each)}
        >
          {textOf(each)}
        </Button>
      ))}
    </div>
  );
}
