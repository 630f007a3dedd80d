import { Download } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { unknownNames } from '../../data/members/member-name.ts';
import { useMemberNames } from '../../data/members/member-names.ts';
import { saveText } from '../../data/save-blob.ts';
import { Button } from '../../design/button.tsx';
import { StackedBarChart } from '../../design/chart.tsx';
import { Incomplete, Legend } from '../../design/legend.tsx';
import { Section } from '../../design/page.tsx';
import { seriesOf } from '../../design/series.ts';
import { emptyText, QueryContent, Skeleton } from '../../design/state.tsx';
import type { Measure } from '../../design/value-axis.ts';
import type { AnalyticsGroupsQuery, AnalyticsSumsFragment } from '../../generated/graphql.ts';
import { Choice } from '../usage-logs/usage-charts.tsx';
import { groupsCsv } from './groups-csv.ts';
import { groupId, groupNames } from './group-names.ts';
import { GroupTable } from './group-table.tsx';
import {
  dimensions,
  dimensionTitles,
  figures,
  filtersOf,
  type AnalyticsSearch,
  type Dimension,
  type Figure,
} from './search.ts';
import { previousLine, valuesAt } from './series.ts';
import { tokensOf } from './tiles.tsx';
import type { Analytics } from './use-analytics.ts';

const titles: Readonly<Record<Figure, string>> = {
  cost: 'Cost',
  requests: 'Requests',
  tokens: 'Tokens',
  errors: 'Errors',
};
const measures = { cost: 'USD', requests: 'requests', tokens: 'tokens', errors: 'errors' } as const satisfies Record<
  Figure,
  Measure
>;
const plurals = { ...measures, cost: 'costs' } as const;

function amountOf(usage: AnalyticsSumsFragment, figure: Figure): number {
  if (figure === 'cost') return Number(usage.cost.amount);
  return figure === 'tokens' ? tokensOf(usage) : usage[figure];
}

/** One metric over time and all metrics in a table, by a dimension. */
export function GroupSection({
  analytics,
  search,
  onChange,
}: {
  readonly analytics: Analytics;
  readonly search: AnalyticsSearch;
  readonly onChange: (next: Partial<AnalyticsSearch>) => void;
}): ReactNode {
  const by = search.by ?? 'model';
  const { totals, groups } = analytics;
  const isFree = totals.data !== null && Number(totals.data.current.total.cost.amount) === 0;
  const figure = search.figure ?? (isFree ? 'requests' : 'cost');
  return (
    <Section title="Usage over time">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <Choice
          label="Metric"
          options={figures}
          chosen={figure}
          textOf={(each) => titles[each]}
          onChoose={(next) => onChange({ figure: next })}
        />
        <Choice
          label="Group by"
          options={dimensions}
          chosen={by}
          textOf={(each) => `By ${dimensionTitles[each].toLowerCase()}`}
          onChoose={(next) => onChange({ by: next })}
        />
      </div>
      <QueryContent query={groups} className="h-32">
        {(data) => <Groups {...{ data, analytics, search, by, figure, onChange }} />}
      </QueryContent>
    </Section>
  );
}

function Groups({
  data,
  analytics: { totals, time, before, range },
  search,
  by,
  figure,
  onChange,
}: {
  readonly data: AnalyticsGroupsQuery;
  readonly analytics: Analytics;
  readonly search: AnalyticsSearch;
  readonly by: Dimension;
  readonly figure: Figure;
  readonly onChange: (next: Partial<AnalyticsSearch>) => void;
}): ReactNode {
  const all = [...data.byTime.groups, ...data.groups.groups, ...data.before.groups];
  const members = useMemberNames([...new Set(all.flatMap(({ member }) => (member == null ? [] : [member])))]);
  const nameOf = useMemo(
    () => groupNames([...data.byTime.groups, ...data.groups.groups], by, members ?? unknownNames),
    [data, by, members],
  );
  const series = useMemo(() => {
    const amounts = data.byTime.groups.map((group) => ({
      id: groupId(group),
      name: nameOf(group),
      start: group.start,
      amount: amountOf(group.usage, figure),
    }));
    return seriesOf(by, amounts, time.at);
  }, [data, nameOf, by, figure, time]);
  const previous = useMemo(
    () => previousLine(valuesAt(totals.data?.previous.groups ?? [], before, ({ usage }) => amountOf(usage, figure))),
    [totals.data, before, figure],
  );
  if (by === 'member' && members === null) return <Skeleton className="h-32" />;
  const isFiltered = Object.values(filtersOf(search)).some((each) => each !== undefined);
  return (
    <>
      <StackedBarChart
        label={`${titles[figure]} over time by ${dimensionTitles[by].toLowerCase()}`}
        time={time}
        series={series}
        measure={measures[figure]}
        emptyText={emptyText(plurals[figure], isFiltered)}
        // A request counts once for each of its tags, so the sum of tags is not comparable with the total.
        previous={by === 'tag' ? undefined : previous}
      />
      <Legend series={series} />
      {data.byTime.truncated ? <Incomplete /> : null}
      {data.groups.groups.length === 0 ? null : (
        <>
          <GroupTable {...{ data, search, range, by, nameOf, onChange }} />
          <div className="flex flex-wrap items-center gap-2">
            <Button
              icon={<Download size={16} aria-hidden />}
              onClick={() => saveText(`usage-by-${by}.csv`, groupsCsv(data, by, nameOf))}
            >
              Export table as CSV
            </Button>
            {data.groups.truncated ? (
              <span className="text-small text-soft">The table has the 100 groups with the highest cost.</span>
            ) : null}
          </div>
        </>
      )}
    </>
  );
}
