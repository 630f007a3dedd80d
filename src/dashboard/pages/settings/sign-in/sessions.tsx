import { MonitorSmartphone } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from '../../../data/graphql/hooks.ts';
import { Badge } from '../../../design/badge.tsx';
import { Button } from '../../../design/button.tsx';
import { Section } from '../../../design/page.tsx';
import { Failed, SkeletonRows } from '../../../design/state.tsx';
import { Time } from '../../../design/time.tsx';
import { useToast } from '../../../design/toast.tsx';
import {
  RevokeOtherSessionsDocument,
  RevokeSessionDocument,
  SessionsDocument,
  type SessionsQuery,
} from '../../../generated/graphql.ts';
import { browserName } from './browser-name.ts';

type Session = SessionsQuery['viewer']['sessions'][number];

/** The user's sessions, with buttons to end them. */
export function Sessions(): ReactNode {
  const { data, failure, refetch } = useQuery(SessionsDocument, {});
  const [revokeOthers, pending] = useMutation(RevokeOtherSessionsDocument);
  const toast = useToast();
  const sessions = data?.viewer.sessions;
  const endOthers = async (): Promise<void> => {
    const ended = await revokeOthers({});
    if (ended.failure) toast.failed(ended.failure);
    else {
      const count = ended.data.revokeOtherSessions;
      toast.done(count === 1 ? 'One other session ended.' : `${count} other sessions ended.`);
      refetch();
    }
  };
  return (
    <Section
      title="Active sessions"
      beside={
        sessions && sessions.length > 1 ? (
          <Button variant="danger" pending={pending} onClick={() => void endOthers()}>
            End all other sessions
          </Button>
        ) : null
      }
    >
      <p className="text-soft">
        If you do not recognise a session, end it and change your password. An ended session is signed out immediately.
      </p>
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {data === null && !failure ? <SkeletonRows rows={4} /> : null}
      <ul aria-label="Sessions" className="flex flex-col">
        {sessions?.map((session) => (
          <Row key={session.id} session={session} onEnded={refetch} />
        ))}
      </ul>
    </Section>
  );
}

function Row({ session, onEnded }: { readonly session: Session; readonly onEnded: () => void }): ReactNode {
  const { id, createdAt, lastSeenAt, address, userAgent, current } = session;
  const [revoke] = useMutation(RevokeSessionDocument);
  const [pending, setPending] = useState(false);
  const toast = useToast();
  const name = browserName(userAgent ?? null);
  const end = async (): Promise<void> => {
    setPending(true);
    const { failure } = await revoke({ id });
    setPending(false);
    if (failure) toast.failed(failure);
    else {
      toast.done('Session ended.');
      onEnded();
    }
  };
  return (
    <li className="flex items-center gap-2 border-t border-line py-1.5">
      <MonitorSmartphone size={20} aria-hidden className="shrink-0 text-soft" />
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-1">
          <span className="font-strong wrap-anywhere">{name}</span>
          {current ? <Badge tone="good">This session</Badge> : null}
        </div>
        <div className="text-soft">
          {address ? <span className="font-mono text-small">{address}</span> : null}
          {address ? ', signed in' : 'Signed in'} <Time at={createdAt} as="relative" />, last seen{' '}
          <Time at={lastSeenAt} as="relative" />
        </div>
      </div>
      {current ? null : (
        <Button pending={pending} onClick={() => void end()} aria-label={`End ${name}`}>
          End
        </Button>
      )}
    </li>
  );
}
