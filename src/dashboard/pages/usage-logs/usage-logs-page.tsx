import { useNavigate, useSearch } from '@tanstack/react-router';
import { RotateCw, ScrollText } from 'lucide-react';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useRange, type Range } from '../../data/range.ts';
import { IconButton } from '../../design/button.tsx';
import { count } from '../../design/format.ts';
import { Page } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import type { UsageLogOrder } from '../../generated/graphql.ts';
import { LogCoverageNotice } from '../../shell/notices/log-coverage.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { SavedViewsMenu } from '../../shell/saved-views/saved-views-menu.tsx';
import { useViewer } from '../../shell/viewer.ts';
import { FeedbackMeans } from './feedback/feedback-means.tsx';
import { hasFilter, filterOf, rangeOfRequest } from './filter.ts';
import { LogDrawer } from './details/log-drawer.tsx';
import { LogFilters } from './log-filters.tsx';
import type { LogSort, UsageLogsSearch } from './search.ts';
import { ExportMenu } from './table/export-menu.tsx';
import { SelectionBar, useLogSelection } from './dataset/selection.tsx';
import { LogTable } from './table/log-table.tsx';
import { useLogView } from './table/log-view.ts';
import { TableBar } from './table/table-bar.tsx';
import { useLiveTail } from './table/use-live-tail.ts';
import { UsageCharts } from './usage-charts.tsx';
import { useLogRows } from './use-log-rows.ts';

const THREE_DAYS_MS = 259_200_000;
const ordersOf: Readonly<Record<LogSort, UsageLogOrder>> = {
  time_desc: 'TIME_DESC',
  time_asc: 'TIME_ASC',
  cost_desc: 'COST_DESC',
  cost_asc: 'COST_ASC',
  duration_desc: 'DURATION_DESC',
  duration_asc: 'DURATION_ASC',
  tokens_desc: 'TOKENS_DESC',
  tokens_asc: 'TOKENS_ASC',
};

export function UsageLogsPage(): ReactNode {
  const search = useSearch({ from: '/shell/billing/usage' });
  const navigate = useNavigate({ from: '/billing/usage' });
  const { currentAccount } = useViewer();
  const namedRange = useRange(search.range ?? '30d', currentAccount);
  const { requestId } = search;
  // A request id determines the time range.
  const requestRange = useMemo(() => (requestId ? rangeOfRequest(requestId) : null), [requestId]);
  const range = useMemo(() => requestRange ?? givenRange(search, namedRange), [requestRange, search, namedRange]);
  // The list of a named range has no end. New requests are shown after a reload.
  const from = useStableTime(namedRange.from, `${search.range} ${currentAccount.period.start}`);
  const time = requestRange ?? { from: search.from ?? from, to: search.to };
  const filter = { ...filterOf(search), from: time.from, to: time.to };
  const sort = search.sort ?? 'time_desc';
  const change = useCallback(
    (next: Partial<UsageLogsSearch>): void =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  );
  const view = useLogView(search, change);
  const withFeedback = view.columns.some(({ name }) => name === 'feedback');
  const logs = useLogRows(filter, ordersOf[sort], withFeedback);
  const canBeLive = sort === 'time_desc' && time.to === undefined;
  const [isLive, setLive] = useState(true);
  const [isHeld, setHeld] = useState(false);
  const tail = useLiveTail(filter, logs, { isOn: canBeLive, isHeld: isHeld || !isLive, withFeedback });
  const { can } = usePermissions();
  const canSelect = can('datasets.write') && can('logged_content.read');
  const selection = useLogSelection();
  const onSort = (next: LogSort): void => change({ sort: next === 'time_desc' ? undefined : next });
  return (
    <Page
      title="Usage Logs"
      lead="Every request with its usage and cost."
      actions={
        <>
          <IconButton label="Reload" onClick={logs.refetch}>
            <RotateCw size={16} aria-hidden />
          </IconButton>
          <SavedViewsMenu page="USAGE_LOGS" />
          <ExportMenu search={search} time={time} columns={view.columns} />
        </>
      }
    >
      <LogFilters search={search} onChange={change} />
      <LogCoverageNotice from={time.from} to={time.to} />
      <UsageCharts search={search} range={range} onChange={change} />
      {logs.failure ? <Failed failure={logs.failure} onRetry={logs.retry} /> : null}
      <div className="flex flex-col gap-1">
        <TableBar
          view={view}
          sort={sort}
          onSort={onSort}
          tail={tail}
          isLive={isLive}
          canBeLive={canBeLive}
          onLive={setLive}
          selection={canSelect ? selection : null}
        />
        {selection.isOn ? <SelectionBar selection={selection} /> : null}
        {logs.rows.length > 0 ? (
          <div>
            <LogTable
              // New rows begin at the top.
              key={JSON.stringify([filter, sort])}
              logs={logs}
              view={view}
              sort={sort}
              onSort={onSort}
              onHold={setHeld}
              onOpen={({ id }) => void navigate({ search: (before) => ({ ...before, log: id }) })}
              opened={search.log ?? null}
              selection={selection}
            />
            <p role="status" className="figures pt-1 text-small text-soft">
              {rowsText(logs.rows.length, logs.isComplete)}
              {sort.startsWith('time') ? '' : ', of the latest 10,000 that match'}
            </p>
          </div>
        ) : logs.isComplete ? (
          <NoRequests isFiltered={hasFilter(search)} />
        ) : logs.failure ? null : (
          <SkeletonRows rows={10} />
        )}
      </div>
      <FeedbackMeans search={search} range={range} onChange={change} />
      <LogDrawer
        id={search.log ?? null}
        onClose={() => void navigate({ search: (before) => ({ ...before, log: undefined }) })}
      />
    </Page>
  );
}

function NoRequests({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  return (
    <Empty icon={<ScrollText size={24} />} title={isFiltered ? 'No matching requests' : 'No requests in this period'}>
      {isFiltered
        ? 'No request in this period matches the filters. Clear a filter or choose a longer period.'
        : 'Requests appear here within a second after they finish. Choose a longer period to see older requests.'}
    </Empty>
  );
}

function rowsText(rows: number, isComplete: boolean): string {
  if (!isComplete) return `${count(rows)} entries loaded, scroll for more`;
  return rows === 1 ? '1 entry' : `${count(rows)} entries`;
}

/** The value from when `key` last changed, so that rows do not disappear while they are read. */
function useStableTime(time: string, key: string): string {
  const [stable, setStable] = useState({ time, key });
  if (stable.key === key) return stable.time;
  setStable({ time, key });
  return time;
}

function givenRange(search: UsageLogsSearch, namedRange: Range): Range {
  const from = search.from ?? namedRange.from;
  const to = search.to ?? namedRange.to;
  return { from, to, interval: Date.parse(to) - Date.parse(from) < THREE_DAYS_MS ? 'HOUR' : 'DAY' };
}
