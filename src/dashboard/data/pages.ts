import { useCallback, useState } from 'react';
import type { AnyVariables } from 'urql';
import type { TypedDocumentString } from '../generated/graphql.ts';
import { toFailure, type Failure } from './failure.ts';
import { useFetch, useRead } from './hooks.ts';

interface Connection<N> {
  readonly nodes: readonly N[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

export interface Pages<T, N> {
  /** The answer of the first page; null until it is there. */
  readonly first: T | null;
  /** All that is loaded; null until the first page is there. */
  readonly nodes: readonly N[] | null;
  readonly hasMore: boolean;
  readonly failure: Failure | null;
  more(): void;
  again(): void;
}

/** A connection, a page at a time. @param pick where it stands in the answer */
export function usePages<T, V extends AnyVariables & { after?: string | null }, N>(
  document: TypedDocumentString<T, V>,
  variables: V,
  pick: (data: T) => Connection<N>,
): Pages<T, N> {
  const { data, failure, again } = useRead(document, variables);
  const fetchPage = useFetch(document);
  const of = JSON.stringify(variables);
  const [rest, setRest] = useState<{ of: string; nodes: readonly N[]; cursor: string | null } | null>(null);
  const [fault, setFault] = useState<{ of: string; failure: Failure } | null>(null);
  const [isFetching, setFetching] = useState(false);
  const own = rest?.of === of ? rest : null;
  const first = data === null ? null : pick(data);
  const cursor = own ? own.cursor : first === null ? null : cursorOf(first);
  const more = (): void => {
    if (cursor === null || isFetching) return;
    setFetching(true);
    setFault(null);
    fetchPage({ ...variables, after: cursor })
      .then((page) => {
        const { nodes, pageInfo } = pick(page);
        setRest({ of, nodes: [...(own?.nodes ?? []), ...nodes], cursor: cursorOf({ nodes, pageInfo }) });
      })
      .catch((error: unknown) => setFault({ of, failure: toFailure(error) }))
      .finally(() => setFetching(false));
  };
  const refresh = useCallback(() => {
    setRest(null);
    setFault(null);
    again();
  }, [again]);
  return {
    first: data,
    nodes: first === null ? null : [...first.nodes, ...(own?.nodes ?? [])],
    hasMore: cursor !== null,
    failure: failure ?? (fault?.of === of ? fault.failure : null),
    more,
    again: refresh,
  };
}

function cursorOf<N>({ pageInfo }: Connection<N>): string | null {
  return pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
}
