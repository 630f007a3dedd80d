import { useMemo } from 'react';
import { useQuery, useRetainedData, type QueryState } from '../../data/graphql/hooks.ts';
import { bucketsOf, useRange, type Range } from '../../data/range.ts';
import type { ChartTime } from '../../data/time-axis.ts';
import { customRange } from './range/custom-limits.ts';
import { previousOf } from './range/zoned-time.ts';
import {
  AnalyticsErrorsDocument,
  AnalyticsGroupsDocument,
  AnalyticsTotalsDocument,
  type AnalyticsErrorsQuery,
  type AnalyticsGroupsQuery,
  type AnalyticsTotalsQuery,
} from '../../generated/graphql.ts';
import { useViewer } from '../../shell/viewer.ts';
import { filterOf } from '../usage-logs/filter.ts';
import { dimensionOf, filtersOf, type AnalyticsSearch } from './search.ts';

/** Groups per interval that a chart reads, and in total: each costs points of the server's limit. */
const GROUPS_PER_INTERVAL = 25;
const MAX_GROUPS = 2_500;

/** The ranges and queries of the page. Every query has the same filter. */
export interface Analytics {
  readonly range: Range;
  readonly time: ChartTime;
  /** The intervals of the previous period, in the order of those of `time`. */
  readonly before: ChartTime;
  readonly totals: QueryState<AnalyticsTotalsQuery>;
  readonly groups: QueryState<AnalyticsGroupsQuery>;
  readonly errors: QueryState<AnalyticsErrorsQuery>;
}

export function useAnalytics(search: AnalyticsSearch): Analytics {
  const { currentAccount } = useViewer();
  const { timeZone } = currentAccount;
  const named = search.range === undefined || search.range === 'custom' ? '30d' : search.range;
  const namedRange = useRange(named, currentAccount);
  const range = useMemo(() => givenRange(search, namedRange), [search, namedRange]);
  const previous = useMemo(() => previousOf(range, timeZone), [range, timeZone]);
  const time = useMemo(() => chartTime(range, timeZone), [range, timeZone]);
  const before = useMemo(() => chartTime(previous, timeZone), [previous, timeZone]);
  const filter = filterOf(filtersOf(search));
  const by = search.by ?? 'model';
  const { interval } = range;
  const ranges = { range: timesOf(range), previous: timesOf(previous), interval, filter };
  // The first and the last one can be parts of an interval.
  const intervals = time.at.length + 2;
  // At least one of each interval.
  const limit = Math.max(intervals, Math.min(MAX_GROUPS, intervals * GROUPS_PER_INTERVAL));
  const dataKey = JSON.stringify([filter, search.range, search.from, search.to]);
  const totals = useQuery(AnalyticsTotalsDocument, { ...ranges, intervals });
  const groups = useQuery(AnalyticsGroupsDocument, { ...ranges, groupBy: [dimensionOf[by]], limit });
  const errors = useQuery(AnalyticsErrorsDocument, {
    range: ranges.range,
    interval,
    filter: { ...filter, isError: true },
    limit,
  });
  return {
    range,
    time,
    before,
    totals: useRetainedData(totals, dataKey),
    groups: useRetainedData(groups, `${by} ${dataKey}`),
    errors: useRetainedData(errors, dataKey),
  };
}

function givenRange({ range, from, to }: AnalyticsSearch, named: Range): Range {
  return range === 'custom' ? (customRange(from, to) ?? named) : named;
}

function timesOf({ from, to }: Range): { readonly from: string; readonly to: string } {
  return { from, to };
}

function chartTime(range: Range, timeZone: string): ChartTime {
  return { at: bucketsOf(range, timeZone), interval: range.interval, timeZone };
}
