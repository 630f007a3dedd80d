import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { AnyVariables } from 'urql';
import type { TypedDocumentString } from '../../generated/graphql.ts';
import { toFailure, type Failure } from '../failure.ts';
import { useFetchQuery, useQuery } from './hooks.ts';

interface Connection<N> {
  readonly nodes: readonly N[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

export interface Pages<T, N> {
  /** Result of the first page; null until loaded. */
  readonly first: T | null;
  /** All loaded nodes; null until the first page is loaded. */
  readonly nodes: readonly N[] | null;
  /** False after a failed page, until `refetch` is called. */
  readonly hasMore: boolean;
  readonly failure: Failure | null;
  fetchMore(): void;
  refetch(): void;
}

interface NextPages<N> {
  /** Identifies the query of these pages. */
  readonly queryKey: string;
  readonly nodes: readonly N[];
  readonly cursor: string | null;
  readonly failure: Failure | null;
}

/** Loads a connection page by page. @param pick selects the connection in the result */
export function usePages<T, V extends AnyVariables & { after?: string | null }, N>(
  document: TypedDocumentString<T, V>,
  variables: V,
  pick: (data: T) => Connection<N>,
): Pages<T, N> {
  const { data, failure, refetch } = useQuery(document, variables);
  const fetchPage = useFetchQuery(document);
  const [reloads, setReloads] = useState(0);
  const queryKey = `${reloads} ${JSON.stringify(variables)}`;
  const [nextPages, setNextPages] = useState<NextPages<N> | null>(null);
  const pendingKey = useRef<string | null>(null);
  const latest = useRef({ variables, pick });
  // Before the effects of components that show the rows: they may request more.
  useLayoutEffect(() => {
    latest.current = { variables, pick };
  });
  const loadedPages = nextPages?.queryKey === queryKey ? nextPages : null;
  const first = data === null ? null : pick(data);
  const cursor = loadedPages ? loadedPages.cursor : first === null ? null : cursorOf(first);
  const hasFailed = loadedPages !== null && loadedPages.failure !== null;
  const fetchMore = useCallback((): void => {
    const requestKey = `${queryKey} ${cursor}`;
    if (cursor === null || hasFailed || pendingKey.current === requestKey) return;
    pendingKey.current = requestKey;
    const apply = (next: (loaded: readonly N[]) => Omit<NextPages<N>, 'queryKey'>): void => {
      // The query has changed in the meantime.
      if (pendingKey.current !== requestKey) return;
      pendingKey.current = null;
      setNextPages((before) => ({ queryKey, ...next(before?.queryKey === queryKey ? before.nodes : []) }));
    };
    fetchPage({ ...latest.current.variables, after: cursor })
      .then((page) => {
        const connection = latest.current.pick(page);
        apply((loaded) => ({
          nodes: [...loaded, ...connection.nodes],
          cursor: cursorOf(connection),
          failure: null,
        }));
      })
      .catch((error: unknown) => apply((loaded) => ({ nodes: loaded, cursor, failure: toFailure(error) })));
  }, [fetchPage, queryKey, cursor, hasFailed]);
  const refresh = useCallback(() => {
    setReloads((before) => before + 1);
    refetch();
  }, [refetch]);
  return {
    first: data,
    nodes: first === null ? null : [...first.nodes, ...(loadedPages?.nodes ?? [])],
    hasMore: cursor !== null && !hasFailed,
    failure: failure ?? loadedPages?.failure ?? null,
    fetchMore,
    refetch: refresh,
  };
}

function cursorOf<N>({ pageInfo }: Connection<N>): string | null {
  return pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
}
