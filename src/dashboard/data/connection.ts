import { cacheExchange } from '@urql/exchange-graphcache';
import { createClient as createSocketClient, type Client as SocketClient } from 'graphql-ws';
import { Client, fetchExchange, mapExchange } from 'urql';
import { embedded } from './embedded.ts';
import { toFailure } from './failure.ts';
import { optimistic, updates } from './updates.ts';

/** How the dashboard speaks to the server in the name of one account. */
export interface Connection {
  /** With the normalised cache: what one page changes, the others show. */
  readonly client: Client;
  /** Without a cache, for rows by the thousand that are read once. */
  readonly rows: Client;
  readonly sockets: SocketClient;
  readonly status: SocketStatus;
  /** Told when the session has ended, or the account or the role in it is another: by whatever notices first. */
  readonly ended: Signal;
  /** Notified by `close`: calls on behalf of this connection end with it. */
  readonly closed: Signal;
  close(): void;
}

export type SocketState = 'idle' | 'connected' | 'dropped';

/** Something that happens now and then, for whoever wants to know of it. */
export class Signal {
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Whether live events arrive, for whoever shows it. */
export class SocketStatus extends Signal {
  #state: SocketState = 'idle';

  get state(): SocketState {
    return this.#state;
  }

  change(state: SocketState): void {
    this.#state = state;
    this.tell();
  }
}

const MAX_WAIT_MS = 10_000;
const IDLE_MS = 5_000;
const NORMAL_CLOSE = 1000;
/** What came with the socket has ended. The client comes again, and is then told 4401: that it takes as the last word. */
const ENDED_CLOSES: readonly number[] = [4403, 4401];

/**
 * A socket that is closing takes nothing more. graphql-ws looks whether it is a turn before it sends, which a page that is left
 * meanwhile makes too early; it subscribes again by itself on the next socket.
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
  const ended = new Signal();
  const closed = new Signal();
  const watchExchange = mapExchange({
    onError: (error) => {
      if (toFailure(error).code === 'unauthenticated') ended.tell();
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
        status.change(code === NORMAL_CLOSE ? 'idle' : 'dropped');
        if (code !== null && ENDED_CLOSES.includes(code)) ended.tell();
      },
    },
  });
  return {
    client: new Client({
      ...options,
      exchanges: [cacheExchange({ keys: embedded, updates, optimistic }), watchExchange, fetchExchange],
    }),
    rows: new Client({ ...options, exchanges: [watchExchange, fetchExchange] }),
    sockets,
    status,
    ended,
    closed,
    close: () => {
      closed.tell();
      // What was still being connected fails by this, as it should.
      void Promise.resolve(sockets.dispose()).catch(() => undefined);
    },
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
