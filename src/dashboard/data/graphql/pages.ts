import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { AnyVariables } from 'urql';
import type { TypedDocumentString } from '../../generated/graphql.ts';
import { toFailure, type Failure } from '../failure.ts';
import { useFetch, useRead } from './hooks.ts';

interface Connection<N> {
  readonly nodes: readonly N[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

export interface Pages<T, N> {
  /** Result of the first page; null until loaded. */
  readonly first: T | null;
  /** All loaded nodes; null until the first page is loaded. */
  readonly nodes: readonly N[] | null;
  /** False after a failed page, until `again` is called. */
  readonly hasMore: boolean;
  readonly failure: Failure | null;
  more(): void;
  again(): void;
}

interface Further<N> {
  /** Identifies the query of these pages. */
  readonly of: string;
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
  const { data, failure, again } = useRead(document, variables);
  const fetchPage = useFetch(document);
  const [turn, setTurn] = useState(0);
  const of = `${turn} ${JSON.stringify(variables)}`;
  const [further, setFurther] = useState<Further<N> | null>(null);
  const asking = useRef<string | null>(null);
  const given = useRef({ variables, pick });
  // Before the effects of components that show the rows: they may request more.
  useLayoutEffect(() => {
    given.current = { variables, pick };
  });
  const own = further?.of === of ? further : null;
  const first = data === null ? null : pick(data);
  const cursor = own ? own.cursor : first === null ? null : cursorOf(first);
  const hasFailed = own !== null && own.failure !== null;
  const more = useCallback((): void => {
    const asked = `${of} ${cursor}`;
    if (cursor === null || hasFailed || asking.current === asked) return;
    asking.current = asked;
    const put = (next: (loaded: readonly N[]) => Omit<Further<N>, 'of'>): void => {
      // The query has changed in the meantime.
      if (asking.current !== asked) return;
      asking.current = null;
      setFurther((before) => ({ of, ...next(before?.of === of ? before.nodes : []) }));
    };
    fetchPage({ ...given.current.variables, after: cursor })
      .then((page) => {
        const connection = given.current.pick(page);
        put((loaded) => ({
          nodes: [...loaded, ...connection.nodes],
          cursor: cursorOf(connection),
          failure: null,
        }));
      })
      .catch((error: unknown) => put((loaded) => ({ nodes: loaded, cursor, failure: toFailure(error) })));
  }, [fetchPage, of, cursor, hasFailed]);
  const refresh = useCallback(() => {
    setTurn((before) => before + 1);
    again();
  }, [again]);
  return {
    first: data,
    nodes: first === null ? null : [...first.nodes, ...(own?.nodes ?? [])],
    hasMore: cursor !== null && !hasFailed,
    failure: failure ?? own?.failure ?? null,
    more,
    again: refresh,
  };
}

function cursorOf<N>({ pageInfo }: Connection<N>): string | null {
  return pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
}
