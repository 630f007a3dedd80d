import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { LogDetails } from './log-details.ts';

const linkClass = 'wrap-anywhere text-accent underline underline-offset-2';

/** What the request is a part of, with links to the rest of it. */
export function traceFacts({ sessionId, parentId, traceId }: LogDetails): (readonly [string, ReactNode])[] {
  const facts: (readonly [string, ReactNode])[] = [];
  if (sessionId)
    facts.push([
      'Session',
      <Link key="session" to="/sessions/session" search={{ id: sessionId }} className={linkClass}>
        {sessionId}
      </Link>,
    ]);
  if (parentId)
    facts.push([
      'Part of',
      <span key="parent" className="wrap-anywhere">
        {parentId}
      </span>,
    ]);
  if (traceId)
    facts.push([
      'Trace',
      <Link key="trace" to="/billing/usage" search={{ traceId }} className={linkClass}>
        {traceId}
      </Link>,
    ]);
  return facts;
}
