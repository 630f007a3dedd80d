import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { useQuery, useSubscription } from '../../data/graphql/hooks.ts';
import { useReconnect } from '../../data/graphql/reconnect.ts';
import { IconButton } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { count, duration, money } from '../../design/format.ts';
import { Facts, Page, Section } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { SessionPageDocument, SessionProgressDocument, type SessionPageQuery } from '../../generated/graphql.ts';
import { LogDrawer } from '../usage-logs/details/log-drawer.tsx';
import { SessionWaterfall } from './session-waterfall.tsx';

type SessionDetails = NonNullable<SessionPageQuery['session']>;

/** One session: its totals, and its requests as a tree with bars of time. */
export function SessionPage(): ReactNode {
  const { id } = useSearch({ from: '/shell/sessions/session' });
  const { data, failure, fetching, refetch } = useQuery(SessionPageDocument, { id });
  const session = data?.session?.sessionId === id ? data.session : null;
  return (
    <Page
      title="Session"
      lead={
        <Link to="/sessions" className="text-accent underline underline-offset-2">
          All sessions
        </Link>
      }
      actions={
        <IconButton label="Reload" onClick={refetch}>
          <RotateCw size={16} aria-hidden />
        </IconButton>
      }
    >
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {session ? <Loaded key={id} session={session} refetch={refetch} /> : null}
      {!session && !failure && fetching ? <SkeletonRows rows={10} /> : null}
      {!session && data && !fetching ? (
        <p className="text-soft">Session not found. It may be older than the plan’s retention period.</p>
      ) : null}
    </Page>
  );
}

function Loaded({ session, refetch }: { readonly session: SessionDetails; readonly refetch: () => void }): ReactNode {
  const { sessionId: id, requests, usage } = session;
  const { log } = useSearch({ from: '/shell/sessions/session' });
  const navigate = useNavigate({ from: '/sessions/session' });
  const shown = useRef(usage.requests);
  const liveFailure = useSubscription(SessionProgressDocument, { id }, ({ sessionProgress }) => {
    if (sessionProgress.usage.requests !== shown.current) refetch();
    shown.current = sessionProgress.usage.requests;
    return null;
  });
  useReconnect(refetch);
  return (
    <>
      {liveFailure ? <Failed failure={liveFailure} /> : null}
      <CopyLine text={id} label="Copy the session ID" />
      <Totals session={session} />
      <Section title="Requests">
        <SessionWaterfall
          entries={requests}
          onOpen={(opened) => void navigate({ search: (before) => ({ ...before, log: opened }) })}
        />
        {usage.requests > requests.length ? (
          <p className="text-soft">
            The first {count(requests.length)} of {count(usage.requests)} requests.{' '}
            <Link
              to="/billing/usage"
              search={{ sessionId: id, from: session.firstRequestAt }}
              className="text-accent underline underline-offset-2"
            >
              Show all in Usage Logs
            </Link>
          </p>
        ) : null}
      </Section>
      <LogDrawer
        id={log ?? null}
        onClose={() => void navigate({ search: (before) => ({ ...before, log: undefined }) })}
      />
    </>
  );
}

function Totals({ session }: { readonly session: SessionDetails }): ReactNode {
  const { usage, models, apiKeys, firstRequestAt, endedAt, durationMs } = session;
  const { requests, errors, inputTokens, outputTokens, cachedTokens, cost } = usage;
  const cached = cachedTokens > 0 ? `, ${count(cachedTokens)} cached` : '';
  return (
    <div className="grid items-start gap-x-6 gap-y-1 md:grid-cols-2">
      <Facts
        facts={[
          [
            'Cost',
            <span key="cost" className="font-strong">
              {money(cost.amount)}
            </span>,
          ],
          [
            'Requests',
            <span key="requests">
              {count(requests)}
              {errors > 0 ? <span className="text-bad">, {count(errors)} failed</span> : null}
            </span>,
          ],
          ['Input', `${count(inputTokens)} tokens${cached}`],
          ['Output', `${count(outputTokens)} tokens`],
        ]}
      />
      <Facts
        facts={[
          ['Started', <Time key="started" at={firstRequestAt} />],
          ['Last response', <Time key="ended" at={endedAt} />],
          ['Duration', duration(durationMs)],
          [
            'Models',
            <span key="models" className="wrap-anywhere">
              {models.join(', ') || '–'}
            </span>,
          ],
          [
            'Keys',
            <span key="keys" className="wrap-anywhere">
              {apiKeys.map(({ name }) => name).join(', ') || 'Dashboard'}
            </span>,
          ],
        ]}
      />
    </div>
  );
}
