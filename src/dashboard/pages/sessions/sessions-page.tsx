import { useNavigate, useSearch } from '@tanstack/react-router';
import { ListTree, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRange } from '../../data/range.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { CodeSamples } from '../../design/code.tsx';
import { count, duration, money, short } from '../../design/format.ts';
import { ListTable, type ListColumn } from '../../design/list-table.tsx';
import { Page } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import type { SessionPartsFragment } from '../../generated/graphql.ts';
import { useViewer } from '../../shell/viewer.ts';
import { useSampleModel } from '../keys/sample-model.ts';
import { sessionSamples } from './samples.ts';
import { sessionFilterOf, type SessionsSearch } from './search.ts';
import { SessionFilters } from './session-filters.tsx';
import { useLiveSessions } from './use-live-sessions.ts';

export function SessionsPage(): ReactNode {
  const search = useSearch({ from: '/shell/sessions' });
  const navigate = useNavigate({ from: '/sessions' });
  const { currentAccount } = useViewer();
  const { from } = useRange(search.range ?? '30d', currentAccount);
  const conditions = sessionFilterOf(search);
  const isFiltered = Object.values(conditions).some(Boolean);
  // By hour, so that the list is not read again every minute.
  const filter = { ...conditions, from: `${from.slice(0, 13)}:00:00.000Z` };
  const { nodes, hasMore, failure, liveFailure, fetchMore, refetch } = useLiveSessions(filter, isFiltered);
  const change = (next: Partial<SessionsSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <Page
      title="Sessions"
      lead="Requests that belong together: runs of agents and conversations."
      actions={
        <IconButton label="Reload" onClick={refetch}>
          <RotateCw size={16} aria-hidden />
        </IconButton>
      }
    >
      <SessionFilters search={search} onChange={change} />
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {liveFailure ? <Failed failure={liveFailure} /> : null}
      {nodes === null && !failure ? <SkeletonRows rows={6} /> : null}
      {nodes?.length === 0 ? <NoSessions isFiltered={isFiltered} /> : null}
      {nodes && nodes.length > 0 ? (
        <ListTable
          label="Sessions"
          rows={nodes}
          columns={columns}
          keyOf={({ sessionId }) => sessionId}
          nameOf={({ sessionId }) => sessionId}
          under={({ models, lastRequestAt, usage: { requests, errors } }) => (
            <>
              <span className="block wrap-anywhere">{modelsText(models)}</span>
              <span className="block md:hidden">
                <Time at={lastRequestAt} />, {count(requests)} {requests === 1 ? 'request' : 'requests'}
                {errors > 0 ? `, ${count(errors)} failed` : ''}
              </span>
            </>
          )}
          onOpen={({ sessionId }) => void navigate({ to: '/sessions/session', search: { id: sessionId } })}
        />
      ) : null}
      {hasMore ? (
        <div>
          <Button onClick={fetchMore}>Load more</Button>
        </div>
      ) : null}
    </Page>
  );
}

function NoSessions({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  const model = useSampleModel(null);
  if (isFiltered)
    return (
      <Empty icon={<ListTree size={24} />} title="No matching sessions">
        No session in this period has a request that matches the filters. Clear a filter or choose a longer period.
      </Empty>
    );
  return (
    <>
      <Empty icon={<ListTree size={24} />} title="No sessions in this period">
        Runs of Codex, Claude Code and opencode appear here by themselves. Other clients name a session by a header.
      </Empty>
      {model ? <CodeSamples samples={sessionSamples(location.origin, model.id)} /> : null}
    </>
  );
}

const MAX_MODELS = 3;

function modelsText(models: readonly string[]): string {
  const more = models.length - MAX_MODELS;
  return models.slice(0, MAX_MODELS).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const columns: readonly ListColumn<SessionPartsFragment>[] = [
  {
    name: 'keys',
    title: 'Key',
    from: 'lg',
    cell: ({ apiKeys }) => (
      <span className="wrap-anywhere text-soft">{apiKeys.map(({ name }) => name).join(', ') || 'Dashboard'}</span>
    ),
  },
  {
    name: 'requests',
    title: 'Requests',
    align: 'right',
    from: 'md',
    cell: ({ usage: { requests, errors } }) => (
      <span className="figures">
        {count(requests)}
        {errors > 0 ? <span className="block text-small text-bad">{count(errors)} failed</span> : null}
      </span>
    ),
  },
  {
    name: 'tokens',
    title: 'Tokens',
    align: 'right',
    from: 'lg',
    cell: ({ usage }) => <span className="figures">{short(usage.inputTokens + usage.outputTokens)}</span>,
  },
  {
    name: 'duration',
    title: 'Duration',
    align: 'right',
    from: 'md',
    cell: ({ durationMs }) => <span className="figures whitespace-nowrap">{duration(durationMs)}</span>,
  },
  { name: 'last', title: 'Last request', from: 'md', cell: ({ lastRequestAt }) => <Time at={lastRequestAt} /> },
  {
    name: 'cost',
    title: 'Cost (USD)',
    align: 'right',
    cell: ({ usage }) => <span className="figures">{money(usage.cost.amount)}</span>,
  },
];
