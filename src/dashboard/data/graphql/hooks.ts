import { createContext, use, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { createRequest, useClient, useMutation, useQuery, type AnyVariables, type RequestPolicy } from 'urql';
import type { TypedDocumentString } from '../../generated/graphql.ts';
import type { Connection, SocketState } from './connection.ts';
import { codeOf, toFailure, type Failure } from '../failure.ts';

export const ConnectionContext = createContext<Connection | null>(null);

export function useConnection(): Connection {
  const connection = use(ConnectionContext);
  if (connection === null) throw new Error('useConnection requires a connection provider.');
  return connection;
}

export interface Read<T> {
  /** Null until loaded. Earlier data is retained while newer data is fetched. */
  readonly data: T | null;
  /** Failure for the current variables. */
  readonly failure: Failure | null;
  readonly fetching: boolean;
  /** Whether `data` was read with the current variables. */
  readonly isCurrent: boolean;
  again(): void;
}

/** A query's result, from the cache first and then from the server. */
export function useRead<T, V extends AnyVariables>(
  document: TypedDocumentString<T, V>,
  variables: V,
  options: { readonly pause?: boolean; readonly policy?: RequestPolicy } = {},
): Read<T> {
  const query = document.toString();
  const [{ data, error, fetching, operation }, run] = useQuery<T, AnyVariables>({
    query,
    variables,
    pause: options.pause ?? false,
    requestPolicy: options.policy ?? 'cache-and-network',
  });
  const isCurrent = operation?.key === createRequest(query, variables).key;
  const failure = useMemo(() => (error && isCurrent ? toFailure(error) : null), [error, isCurrent]);
  const again = useCallback(() => run({ requestPolicy: 'network-only' }), [run]);
  return { data: data ?? null, failure, fetching, isCurrent: isCurrent && data !== undefined, again };
}

/** The state of a query: its data, its failure, or neither while loading. */
export type Answer<T> = Pick<Read<T>, 'data' | 'failure' | 'again'>;

/**
 * Hides data of a different question. Data of the same question is retained while it is refetched.
 * @param question identical for variables that mean the same to a viewer, such as a range that moves with the clock
 */
export function useAnswer<T>({ data, failure, isCurrent, again }: Read<T>, question: string): Answer<T> {
  const [answered, setAnswered] = useState<string | null>(null);
  if (isCurrent && answered !== question) setAnswered(question);
  return { data: isCurrent || answered === question ? data : null, failure, again };
}

/** A mutation. @returns its result, or the failure */
export function useChange<T, V extends AnyVariables>(
  document: TypedDocumentString<T, V>,
): readonly [
  change: (variables: V) => Promise<{ data: T; failure: null } | { data: null; failure: Failure }>,
  pending: boolean,
] {
  const [{ fetching }, run] = useMutation<T, AnyVariables>(document.toString());
  const change = useCallback(
    async (variables: V) => {
      const { data, error } = await run(variables);
      if (error || data === undefined) return { data: null, failure: toFailure(error) };
      return { data, failure: null };
    },
    [run],
  );
  return [change, fetching];
}

/** Reads once, outside of rendering. @throws CombinedError */
export function useFetch<T, V extends AnyVariables>(document: TypedDocumentString<T, V>): (variables: V) => Promise<T> {
  const client = useClient();
  return useCallback(
    async (variables: V) => {
      const { data, error } = await client.query<T, AnyVariables>(document.toString(), variables).toPromise();
      if (error || data === undefined) throw error ?? new Error('The server sent no response.');
      return data;
    },
    [client, document],
  );
}

export interface Follower<T> {
  /** @returns the cursor to resume after when the connection drops */
  next(event: T): string | null | undefined;
  fail(failure: Failure): void;
}

/**
 * Subscribes. After a dropped connection, resumes after the last cursor that the follower returned.
 * @returns unsubscribes
 */
export function follow<T, V extends object>(
  { sockets, closed }: Connection,
  document: TypedDocumentString<T, V>,
  variables: V,
  follower: Follower<T>,
): () => void {
  // A subscription would open the socket again.
  if (closed.aborted) return () => undefined;
  let cursor: string | null = null;
  const resumable: Record<string, unknown> = Object.fromEntries(Object.entries(variables));
  // Evaluated each time the client resubscribes.
  Object.defineProperty(resumable, 'after', { enumerable: true, get: () => cursor ?? undefined });
  return sockets.subscribe<T>(
    { query: document.toString(), variables: resumable },
    {
      next: ({ data, errors }) => {
        if (errors?.[0])
          follower.fail({ message: errors[0].message, code: codeOf(errors[0].extensions), requestId: null });
        if (data) cursor = follower.next(data) ?? cursor;
      },
      error: () =>
        follower.fail({
          message: 'Live events have stopped. Reload the page.',
          code: 'socket_closed',
          requestId: null,
        }),
      complete: () => undefined,
    },
  );
}

/** Subscribes while the component is mounted. */
export function useLive<T, V extends object>(
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
  const given = JSON.stringify(variables);
  const pause = options.pause ?? false;
  useEffect(() => {
    if (pause) return undefined;
    setFailure(null);
    return follow(connection, document, JSON.parse(given), {
      next: (event) => receiver.current(event),
      fail: setFailure,
    });
  }, [connection, document, given, pause]);
  return failure;
}

export function useSocketState(): SocketState {
  const { status } = useConnection();
  return useSyncExternalStore(status.subscribe, () => status.state);
}
