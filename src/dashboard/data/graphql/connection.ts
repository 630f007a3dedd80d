import { cacheExchange } from '@urql/exchange-graphcache';
import { createClient as createSocketClient, type Client as SocketClient } from 'graphql-ws';
import { Client, fetchExchange, mapExchange } from 'urql';
import { embedded } from './embedded.ts';
import { toFailure } from '../failure.ts';
import { SessionEnd, Signal } from './signal.ts';
import { optimistic, updates } from './updates.ts';

/** The dashboard's connection to the server for one account. */
export interface Connection {
  /** With the normalised cache, shared by all pages. */
  readonly client: Client;
  /** Without a cache, for large lists that are read once. */
  readonly rows: Client;
  readonly sockets: SocketClient;
  readonly status: SocketStatus;
  /** Notified when the session ends, or the account or role changes. */
  readonly ended: SessionEnd;
  /** Notified by `close`, to abort calls of this connection. */
  readonly closed: Signal;
  /** Aborted by `startSignOut`: nothing starts on this connection any more. */
  readonly signingOut: AbortSignal;
  close(): void;
  /** Closes the connection on purpose: what its open requests report must not make the dashboard connect again. */
  startSignOut(): void;
}

export type SocketState = 'idle' | 'connected' | 'dropped';

/** Whether the socket is connected. */
class SocketStatus extends Signal {
  #state: SocketState = 'idle';

  get state(): SocketState {
    return this.#state;
  }

  change(state: SocketState): void {
    this.#state = state;
    this.notify();
  }
}

const MAX_WAIT_MS = 10_000;
const IDLE_MS = 5_000;
const NORMAL_CLOSE_CODE = 1000;
/** Close codes for revoked credentials. After 4403 the client reconnects, and then receives 4401, which is final. */
const REVOKED_CLOSE_CODES: readonly number[] = [4403, 4401];

/**
 * Ignores sends while closing. graphql-ws checks the state one turn before it sends, so that a page that closes in between
 * would throw; it resubscribes on the next socket.
 */
class ClosingSocket extends WebSocket {
  override send(data: Parameters<WebSocket['send']>[0]): void {
    if (this.readyState === WebSocket.OPEN) super.send(data);
  }
}

/** @param accountId null for the user's first account */
export function connect(accountId: string | null): Connection {
  const headers: Record<string, string> = { 'apollo-require-preflight': 'true' };
  if (accountId !== null) headers['x-sluice-account'] = accountId;
  const options = {
    url: '/graphql',
    fetchOptions: { headers, credentials: 'same-origin' },
    preferGetMethod: false,
  } as const;
  const status = new SocketStatus();
  const closed = new Signal();
  const signOut = new AbortController();
  const ended = new SessionEnd(signOut.signal);
  const authenticationExchange = mapExchange({
    onError: (error) => {
      if (toFailure(error).code === 'unauthenticated') ended.notify();
    },
  });
  const sockets = createSocketClient({
    url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`,
    connectionParams: accountId === null ? {} : { account: accountId },
    webSocketImpl: ClosingSocket,
    lazyCloseTimeout: IDLE_MS,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: (attempts) => wait(Math.min(MAX_WAIT_MS, 250 * 2 ** attempts) * (0.75 + Math.random() / 2)),
    shouldRetry: () => true,
    on: {
      connected: () => status.change('connected'),
      closed: (event) => {
        const code = event instanceof CloseEvent ? event.code : null;
        status.change(code === NORMAL_CLOSE_CODE ? 'idle' : 'dropped');
        if (code !== null && REVOKED_CLOSE_CODES.includes(code)) ended.notify();
      },
    },
  });
  const close = (): void => {
    closed.notify();
    // Rejects pending connection attempts, as intended.
    void Promise.resolve(sockets.dispose()).catch(() => undefined);
  };
  return {
    client: new Client({
      ...options,
      exchanges: [cacheExchange({ keys: embedded, updates, optimistic }), authenticationExchange, fetchExchange],
    }),
    rows: new Client({ ...options, exchanges: [authenticationExchange, fetchExchange] }),
    sockets,
    status,
    ended,
    closed,
    signingOut: signOut.signal,
    close,
    startSignOut: () => {
      signOut.abort();
      close();
    },
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
