import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { AnyVariables } from 'urql';
import type { TypedDocumentString } from '../../generated/graphql.ts';
import { toFailure, type Failure } from '../failure.ts';
import { useFetchQuery, useQuery } from './hooks.ts';
import { cursorOf, readPages, type PagedConnection } from './read-pages.ts';

export interface Pages<T, N> {
  /** Result of the first page; null until loaded. */
  readonly first: T | null;
  /** All loaded nodes; null until the first page is loaded. */
  readonly nodes: readonly N[] | null;
  /** False after a failed page, until `refetch` or `refresh` is called. */
  readonly hasMore: boolean;
  /** Whether more than the first page is loaded. */
  readonly hasFurtherPages: boolean;
  readonly failure: Failure | null;
  readonly isInFlight: boolean;
  fetchMore(): void;
  /** Loads the first page again, and drops the others. */
  refetch(): void;
  /** Loads as many nodes again as are loaded; those are shown until then. */
  refresh(): void;
}

interface NextPages<N> {
  /** Identifies the query of these pages. */
  readonly queryKey: string;
  readonly nodes: readonly N[];
  readonly cursor: string | null;
  readonly failure: Failure | null;
  /** Whether the nodes of the first page are among them, read later than it. */
  readonly includesFirst: boolean;
}

/** Loads a connection page by page. @param pick selects the connection in the result */
export function usePages<T, V extends AnyVariables & { after?: string | null }, N>(
  document: TypedDocumentString<T, V>,
  variables: V,
  pick: (data: T) => PagedConnection<N>,
): Pages<T, N> {
  const { data, failure, isInFlight, refetch: refetchFirst } = useQuery(document, variables);
  // A cached page may be older than the one before it.
  const fetchPage = useFetchQuery(document, 'network-only');
  const [reloads, setReloads] = useState(0);
  const queryKey = `${reloads} ${JSON.stringify(variables)}`;
  const [nextPages, setNextPages] = useState<NextPages<N> | null>(null);
  const [isRefreshing, setRefreshing] = useState(false);
  const pendingKey = useRef<string | null>(null);
  const latest = useRef({ variables, pick });
  // Before the effects of components that show the rows: they may request more.
  useLayoutEffect(() => {
    latest.current = { variables, pick };
  });
  const loadedPages = nextPages?.queryKey === queryKey ? nextPages : null;
  const first = data === null ? null : pick(data);
  const cursor = loadedPages ? loadedPages.cursor : first === null ? null : cursorOf(first);
  const hasFailed = loadedPages?.failure != null;
  const firstNodes = loadedPages?.includesFirst === true ? [] : (first?.nodes ?? []);
  const nodeCount = firstNodes.length + (loadedPages?.nodes.length ?? 0);
  const settle = useCallback(
    (requestKey: string, next: (loaded: readonly N[]) => Partial<NextPages<N>>): void => {
      // The query has changed in the meantime.
      if (pendingKey.current !== requestKey) return;
      pendingKey.current = null;
      setNextPages((before) => {
        const none = { queryKey, nodes: [], cursor, failure: null, includesFirst: false };
        const loaded = before?.queryKey === queryKey ? before : none;
        return { ...loaded, ...next(loaded.nodes) };
      });
    },
    [queryKey, cursor],
  );
  const fetchMore = useCallback((): void => {
    const requestKey = `${queryKey} ${cursor}`;
    if (cursor === null || hasFailed || pendingKey.current === requestKey) return;
    pendingKey.current = requestKey;
    fetchPage({ ...latest.current.variables, after: cursor })
      .then((page) => {
        const connection = latest.current.pick(page);
        settle(requestKey, (loaded) => ({ nodes: [...loaded, ...connection.nodes], cursor: cursorOf(connection) }));
      })
      .catch((error: unknown) => settle(requestKey, () => ({ failure: toFailure(error) })));
  }, [fetchPage, queryKey, cursor, hasFailed, settle]);
  const refetch = useCallback(() => {
    setReloads((before) => before + 1);
    refetchFirst();
  }, [refetchFirst]);
  const hasFurtherPages = loadedPages !== null && nodeCount > (first?.nodes.length ?? 0);
  const refresh = useCallback(() => {
    if (!hasFurtherPages) {
      refetch();
      return;
    }
    const requestKey = `${queryKey} refresh`;
    // A further page that arrives meanwhile has precedence: what it follows on is shown.
    if (pendingKey.current?.startsWith(queryKey)) return;
    pendingKey.current = requestKey;
    setRefreshing(true);
    readPages(async (after) => latest.current.pick(await fetchPage({ ...latest.current.variables, after })), nodeCount)
      .then((read) => settle(requestKey, () => ({ ...read, failure: null, includesFirst: true })))
      .catch((error: unknown) => settle(requestKey, () => ({ failure: toFailure(error) })))
      .finally(() => setRefreshing(false));
  }, [hasFurtherPages, refetch, queryKey, fetchPage, nodeCount, settle]);
  return {
    first: data,
    nodes: first === null ? null : [...firstNodes, ...(loadedPages?.nodes ?? [])],
    hasMore: cursor !== null && !hasFailed,
    hasFurtherPages,
    failure: failure ?? loadedPages?.failure ?? null,
    isInFlight: isInFlight || isRefreshing,
    fetchMore,
    refetch,
    refresh,
  };
}
