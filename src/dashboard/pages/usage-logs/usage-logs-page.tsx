import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, RotateCw, ScrollText } from 'lucide-react';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useSubscription } from '../../data/graphql/hooks.ts';
import { useRange, type Range } from '../../data/range.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { count } from '../../design/format.ts';
import { Menu } from '../../design/menu.tsx';
import { Page } from '../../design/page.tsx';
import { VirtualRows } from '../../design/rows.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { NewRequestsDocument } from '../../generated/graphql.ts';
import { useDownload } from '../../shell/download.ts';
import { useViewer } from '../../shell/viewer.ts';
import { exportParams, hasFilter, filterOf, rangeOfRequest } from './filter.ts';
import { LogDrawer } from './details/log-drawer.tsx';
import { logColumns } from './log-columns.tsx';
import { LogFilters } from './log-filters.tsx';
import type { UsageLogsSearch } from './search.ts';
import { UsageCharts } from './usage-charts.tsx';
import { useLogRows } from './use-log-rows.ts';

const THREE_DAYS_MS = 259_200_000;

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
  const logs = useLogRows(filter);
  const change = useCallback(
    (next: Partial<UsageLogsSearch>): void =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  );
  return (
    <Page
      title="Usage Logs"
      lead="Every request with its usage and cost."
      actions={
        <>
          <IconButton label="Reload" onClick={logs.refetch}>
            <RotateCw size={16} aria-hidden />
          </IconButton>
          <ExportMenu search={search} range={range} />
        </>
      }
    >
      <LogFilters search={search} onChange={change} />
      <UsageCharts search={search} range={range} onChange={change} />
      {logs.failure ? <Failed failure={logs.failure} onRetry={logs.retry} /> : null}
      <NewRequests key={JSON.stringify(filter)} onShow={logs.refetch} />
      {logs.rows.length > 0 ? (
        <div>
          <VirtualRows
            label="Requests"
            rows={logs.rows}
            columns={logColumns}
            keyOf={({ id }) => id}
            onOpen={({ id }) => void navigate({ search: (before) => ({ ...before, log: id }) })}
            onNearEnd={logs.fetchMore}
            opened={search.log ?? null}
          />
          <p role="status" className="figures pt-1 text-small text-soft">
            {rowsText(logs.rows.length, logs.isComplete)}
          </p>
        </div>
      ) : logs.isComplete ? (
        <NoRequests isFiltered={hasFilter(search)} />
      ) : logs.failure ? null : (
        <SkeletonRows rows={10} />
      )}
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

const formats = ['csv', 'jsonl', 'parquet'] as const;

function ExportMenu({ search, range }: { readonly search: UsageLogsSearch; readonly range: Range }): ReactNode {
  const download = useDownload();
  return (
    <Menu
      align="end"
      trigger={<Button icon={<Download size={16} aria-hidden />}>Export</Button>}
      groups={[
        {
          title: 'Filtered requests',
          items: formats.map((format) => ({
            label: format === 'parquet' ? 'Parquet' : format.toUpperCase(),
            onSelect: () =>
              location.assign(
                download(`/exports/usage.${format}`, { ...exportParams(search), from: range.from, to: range.to }),
              ),
          })),
        },
      ]}
    />
  );
}

/** Announces new requests. They are loaded on click, so that rows do not move while they are read. */
function NewRequests({ onShow }: { readonly onShow: () => void }): ReactNode {
  const [ended, setEnded] = useState(0);
  useSubscription(NewRequestsDocument, {}, ({ liveCompletions: { cursor, event } }) => {
    if (event.__typename === 'CompletionFinished' || event.__typename === 'CompletionFailed')
      setEnded((before) => before + 1);
    return cursor;
  });
  if (ended === 0) return null;
  return (
    <div role="status">
      <Button
        onClick={() => {
          setEnded(0);
          onShow();
        }}
        icon={<RotateCw size={16} aria-hidden />}
      >
        {ended === 1 ? 'Show the new request' : `Show ${count(ended)} new requests`}
      </Button>
    </div>
  );
}
