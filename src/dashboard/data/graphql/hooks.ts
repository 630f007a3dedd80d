import { createContext, use, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import {
  createRequest,
  useClient,
  useMutation as useUrqlMutation,
  useQuery as useUrqlQuery,
  type AnyVariables,
  type RequestPolicy,
} from 'urql';
import type { TypedDocumentString } from '../../generated/graphql.ts';
import type { Connection, SocketState } from './connection.ts';
import { codeOf, toFailure, type Failure } from '../failure.ts';

export const ConnectionContext = createContext<Connection | null>(null);

export function useConnection(): Connection {
  const connection = use(ConnectionContext);
  if (connection === null) throw new Error('useConnection requires a connection provider.');
  return connection;
}

export interface QueryResult<T> {
  /** Null until loaded. Earlier data is retained while newer data is fetched, and if that fails. */
  readonly data: T | null;
  /** Failure for the current variables. */
  readonly failure: Failure | null;
  readonly fetching: boolean;
  /** As `fetching`, and also while a cached result is shown that is being replaced. */
  readonly isInFlight: boolean;
  /** Whether `data` was read with the current variables. */
  readonly isCurrent: boolean;
  refetch(): void;
}

/** A query's result, from the cache first and then from the server. */
export function useQuery<T, V extends AnyVariables>(
  document: TypedDocumentString<T, V>,
  variables: V,
  options: { readonly pause?: boolean; readonly policy?: RequestPolicy } = {},
): QueryResult<T> {
  const query = document.toString();
  const [{ data, error, fetching, stale, operation }, executeQuery] = useUrqlQuery<T, AnyVariables>({
    query,
    variables,
    pause: options.pause ?? false,
    requestPolicy: options.policy ?? 'cache-and-network',
  });
  const { key } = createRequest(query, variables);
  const isCurrent = operation?.key === key;
  const [loaded, setLoaded] = useState<{ readonly key: number; readonly data: T } | null>(null);
  if (isCurrent && !error && data !== undefined && (loaded?.key !== key || loaded.data !== data))
    setLoaded({ key, data });
  // A failed response has no data, or null in place of the field that failed.
  const shown = isCurrent && error && loaded?.key === key ? loaded.data : data;
  const failure = useMemo(() => (error && isCurrent ? toFailure(error) : null), [error, isCurrent]);
  const refetch = useCallback(() => executeQuery({ requestPolicy: 'network-only' }), [executeQuery]);
  return {
    data: shown ?? null,
    failure,
    fetching,
    isInFlight: fetching || stale,
    isCurrent: isCurrent && shown !== undefined,
    refetch,
  };
}

/** The state of a query: its data, its failure, or neither while loading. */
export type QueryState<T> = Pick<QueryResult<T>, 'data' | 'failure' | 'refetch'>;

/**
 * Hides data that was read for another `dataKey`. Data for the same key is retained while it is refetched.
 * @param dataKey identical for variables that mean the same to a viewer, such as a range that moves with the clock
 */
export function useRetainedData<T>(
  { data, failure, isCurrent, refetch }: QueryResult<T>,
  dataKey: string,
): QueryState<T> {
  const [retainedKey, setRetainedKey] = useState<string | null>(null);
  if (isCurrent && retainedKey !== dataKey) setRetainedKey(dataKey);
  return { data: isCurrent || retainedKey === dataKey ? data : null, failure, refetch };
}

/** A mutation. @returns its result, or the failure */
export function useMutation<T, V extends AnyVariables>(
  document: TypedDocumentString<T, V>,
): readonly [
  mutate: (variables: V) => Promise<{ data: T; failure: null } | { data: null; failure: Failure }>,
  pending: boolean,
] {
  const [{ fetching }, executeMutation] = useUrqlMutation<T, AnyVariables>(document.toString());
  const mutate = useCallback(
    async (variables: V) => {
      const { data, error } = await executeMutation(variables);
      if (error || data === undefined) return { data: null, failure: toFailure(error) };
      return { data, failure: null };
    },
    [executeMutation],
  );
  return [mutate, fetching];
}

/** Runs a query once, outside of rendering. @throws CombinedError */
export function useFetchQuery<T, V extends AnyVariables>(
  document: TypedDocumentString<T, V>,
  requestPolicy: RequestPolicy = 'cache-first',
): (variables: V) => Promise<T> {
  const client = useClient();
  return useCallback(
    async (variables: V) => {
      const { data, error } = await client
        .query<T, AnyVariables>(document.toString(), variables, { requestPolicy })
        .toPromise();
      if (error || data === undefined) throw error ?? new Error('The server sent no response.');
      return data;
    },
    [client, document, requestPolicy],
  );
}

export interface Subscriber<T> {
  /** @returns the cursor to resume after when the connection drops */
  next(event: T): string | null | undefined;
  onFailure(failure: Failure): void;
}

/**
 * Subscribes. After a dropped connection, resumes after the last cursor that the subscriber returned.
 * @returns unsubscribes
 */
export function subscribe<T, V extends object>(
  { sockets, signingOut }: Connection,
  document: TypedDocumentString<T, V>,
  variables: V,
  subscriber: Subscriber<T>,
): () => void {
  // A subscription would open the socket again.
  if (signingOut.aborted) return () => undefined;
  let cursor: string | null = null;
  const resumable: Record<string, unknown> = Object.fromEntries(Object.entries(variables));
  // Evaluated each time the client resubscribes.
  Object.defineProperty(resumable, 'after', { enumerable: true, get: () => cursor ?? undefined });
  return sockets.subscribe<T>(
    { query: document.toString(), variables: resumable },
    {
      next: ({ data, errors }) => {
        if (errors?.[0])
          subscriber.onFailure({ message: errors[0].message, code: codeOf(errors[0].extensions), requestId: null });
        if (data) cursor = subscriber.next(data) ?? cursor;
      },
      error: () =>
        subscriber.onFailure({
          message: 'Live events have stopped. Reload the page.',
          code: 'socket_closed',
          requestId: null,
        }),
      complete: () => undefined,
    },
  );
}

/** Subscribes while the component is mounted. */
export function useSubscription<T, V extends object>(
  document: TypedDocumentString<T, V>,
  variables: V,
  receive: (event: T) => string | null | undefined,
  options: { readonly pause?: boolean } = {},
): Failure | null {
  const connection = useConnection();
  const [failure, setFailure] = useState<Failure | null>(null);
  const receiver = useRef(receive);
  useEffect(() => {
    receiver.current = receive;
  });
  const serializedVariables = JSON.stringify(variables);
  const pause = options.pause ?? false;
  useEffect(() => {
    if (pause) return undefined;
    setFailure(null);
    return subscribe(connection, document, JSON.parse(serializedVariables), {
      next: (event) => receiver.current(event),
      onFailure: setFailure,
    });
  }, [connection, document, serializedVariables, pause]);
  return failure;
}

export function useSocketState(): SocketState {
  const { status } = useConnection();
  return useSyncExternalStore(status.subscribe, () => status.state);
}
