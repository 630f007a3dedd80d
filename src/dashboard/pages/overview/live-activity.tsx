import { Link } from '@tanstack/react-router';
import { Radio } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSocketState } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { count, duration, money } from '../../design/format.ts';
import { Section } from '../../design/page.tsx';
import { Empty, Failed } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import type { LiveRequest, LiveRequests } from './use-live-requests.ts';

/** The account's running requests. Updates pause while the pointer is over the list. */
export function LiveActivity({ live }: { readonly live: LiveRequests }): ReactNode {
  const socket = useSocketState();
  return (
    <Section
      title="Live"
      beside={
        socket === 'dropped' ? (
          <Badge tone="warn">Reconnecting …</Badge>
        ) : live.isPaused ? (
          <Badge>Paused</Badge>
        ) : (
          <Badge tone="good">
            <span aria-hidden className="size-0.75 animate-breathe rounded-full bg-good" /> Connected
          </Badge>
        )
      }
    >
      {live.failure ? <Failed failure={live.failure} /> : null}
      {live.hasGap ? <p className="text-soft">Some events were missed while the connection was down.</p> : null}
      {live.requests.length === 0 ? (
        <Empty icon={<Radio size={24} />} title="No running requests">
          Requests of your API keys appear here when they start.
        </Empty>
      ) : (
        <ul
          aria-label="Live requests"
          className="max-h-60 overflow-y-auto"
          onMouseEnter={() => live.pause(true)}
          onMouseLeave={() => live.pause(false)}
        >
          {live.requests.map((request) => (
            <Row key={request.requestId} request={request} />
          ))}
        </ul>
      )}
    </Section>
  );
}

const tones = { running: 'accent', finished: 'good', failed: 'bad' } as const;
const names = { running: 'Running', finished: 'Succeeded', failed: 'Failed' } as const;

function Row({ request }: { readonly request: LiveRequest }): ReactNode {
  const { requestId, model, at, state, tokens, durationMs, cost, error, text } = request;
  return (
    <li className="animate-arrive border-b border-line last:border-0">
      <Link
        to="/billing/usage"
        search={{ requestId }}
        className="figures grid min-h-6 grid-cols-[72px_minmax(0,1fr)_auto] items-center gap-x-1.5 rounded-small px-0.5 py-0.75 -outline-offset-2 hover:bg-hover"
      >
        <Badge tone={tones[state]}>{names[state]}</Badge>
        <span className="min-w-0">
          <span className="block wrap-anywhere">{model}</span>
          <span className={`text-small wrap-anywhere text-soft ${error === null ? 'line-clamp-2' : 'block'}`}>
            {error ?? (text || <Time at={at} as="time" />)}
          </span>
        </span>
        <span className="text-right text-small text-soft">
          <span className="block text-ink">{cost === null ? '…' : money(cost)}</span>
          {tokens === null || durationMs === null ? '' : `${count(tokens)} tokens · ${duration(durationMs)}`}
        </span>
      </Link>
    </li>
  );
}
