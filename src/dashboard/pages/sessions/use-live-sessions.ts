import { useCallback, useMemo, useState } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useSubscription } from '../../data/graphql/hooks.ts';
import { usePages } from '../../data/graphql/pages.ts';
import { useReconnect } from '../../data/graphql/reconnect.ts';
import {
  SessionProgressDocument,
  RequestSessionsDocument,
  type SessionPartsFragment,
  type UsageLogFilter,
} from '../../generated/graphql.ts';
import { withUpdates } from './latest.ts';

const PAGE_SIZE = 50;

export interface LiveSessions {
  /** By the last request, newest first; null until loaded. */
  readonly nodes: readonly SessionPartsFragment[] | null;
  readonly hasMore: boolean;
  readonly failure: Failure | null;
  /** Why changes are not received. */
  readonly liveFailure: Failure | null;
  fetchMore(): void;
  refetch(): void;
}

/**
 * Sessions with their changes as they happen.
 * @param isFiltered whether new sessions are only known to match after the list is read again
 */
export function useLiveSessions(filter: UsageLogFilter, isFiltered: boolean): LiveSessions {
  const { nodes, hasMore, failure, fetchMore, refetch } = usePages(
    RequestSessionsDocument,
    { filter, first: PAGE_SIZE },
    ({ sessions }) => sessions,
  );
  const [updates, setUpdates] = useState<ReadonlyMap<string, SessionPartsFragment>>(new Map());
  const liveFailure = useSubscription(SessionProgressDocument, {}, ({ sessionProgress }) => {
    setUpdates((before) => new Map(before).set(sessionProgress.sessionId, sessionProgress));
    return null;
  });
  const reload = useCallback((): void => {
    setUpdates(new Map());
    refetch();
  }, [refetch]);
  useReconnect(reload);
  return {
    nodes: useMemo(() => nodes && withUpdates(nodes, updates, !isFiltered), [nodes, updates, isFiltered]),
    hasMore,
    failure,
    liveFailure,
    fetchMore,
    refetch: reload,
  };
}
