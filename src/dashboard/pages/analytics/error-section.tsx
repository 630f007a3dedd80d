import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { StackedBarChart } from '../../design/chart.tsx';
import { count, percent } from '../../design/format.ts';
import { Incomplete, Legend } from '../../design/legend.tsx';
import { Section } from '../../design/page.tsx';
import { seriesOf } from '../../design/series.ts';
import { QueryContent } from '../../design/state.tsx';
import type { AnalyticsErrorsQuery } from '../../generated/graphql.ts';
import { logSearch, type AnalyticsSearch } from './search.ts';
import { previousLine, valuesAt } from './series.ts';
import type { Analytics } from './use-analytics.ts';

const NO_CODE = 'No error code';

/** Errors by code. */
export function ErrorSection({
  analytics,
  search,
}: {
  readonly analytics: Analytics;
  readonly search: AnalyticsSearch;
}): ReactNode {
  return (
    <Section title="Errors by code">
      <QueryContent query={analytics.errors} className="h-28">
        {(data) => <Errors {...{ data, analytics, search }} />}
      </QueryContent>
    </Section>
  );
}

function Errors({
  data: { byTime, codes },
  analytics: { totals, time, before, range },
  search,
}: {
  readonly data: AnalyticsErrorsQuery;
  readonly analytics: Analytics;
  readonly search: AnalyticsSearch;
}): ReactNode {
  const series = useMemo(
    () =>
      seriesOf(
        'error',
        byTime.groups.map(({ start, errorCode, usage }) => ({
          name: errorCode ?? NO_CODE,
          start,
          amount: usage.requests,
        })),
        time.at,
      ),
    [byTime, time],
  );
  const previous = useMemo(
    () => previousLine(valuesAt(totals.data?.previous.groups ?? [], before, ({ usage }) => usage.errors)),
    [totals.data, before],
  );
  const requests = totals.data?.current.total.requests;
  return (
    <div className="grid gap-3 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-1">
        <StackedBarChart
          label="Errors over time by code"
          time={time}
          series={series}
          measure="errors"
          emptyText="No errors in this period."
          height={160}
          previous={previous}
        />
        <Legend series={series} />
        {byTime.truncated ? <Incomplete /> : null}
      </div>
      {codes.groups.length === 0 ? null : (
        <table className="figures h-fit w-full border-collapse text-left">
          <caption className="sr-only">Errors by code</caption>
          <thead className="text-small text-soft">
            <tr>
              <th className="py-0.5 font-normal">Error code</th>
              <th className="py-0.5 pl-1 text-right font-normal">Errors</th>
              <th className="py-0.5 pl-1 text-right font-normal">Of all requests</th>
            </tr>
          </thead>
          <tbody>
            {codes.groups
              .toSorted((one, other) => other.usage.requests - one.usage.requests)
              .map(({ errorCode, usage }) => (
                <tr key={errorCode ?? NO_CODE} className="border-t border-line hover:bg-hover">
                  <td className="w-full min-w-16 py-0.75 pr-1 wrap-anywhere">
                    {errorCode == null ? (
                      NO_CODE
                    ) : (
                      <Link
                        to="/billing/usage"
                        search={logSearch(search, range, { errors: true, errorCode })}
                        className="-outline-offset-2 hover:underline"
                      >
                        {errorCode}
                      </Link>
                    )}
                  </td>
                  <td className="py-0.75 pl-1 text-right">{count(usage.requests)}</td>
                  <td className="py-0.75 pl-1 text-right">
                    {requests === undefined ? '–' : percent(usage.requests, requests)}
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
