import { cacheExchange } from '@urql/exchange-graphcache';
import { createClient as createSocketClient, type Client as SocketClient } from 'graphql-ws';
import { Client, fetchExchange } from 'urql';
import { embedded } from './embedded.ts';
import { optimistic, updates } from './updates.ts';

/** How the dashboard speaks to the server in the name of one account. */
export interface Connection {
  /** With the normalised cache: what one page changes, the others show. */
  readonly client: Client;
  /** Without a cache, for rows by the thousand that are read once. */
  readonly rows: Client;
  readonly sockets: SocketClient;
  readonly status: SocketStatus;
  close(): void;
}

export type SocketState = 'idle' | 'connected' | 'dropped';

/** Whether live events arrive, for whoever shows it. */
export class SocketStatus {
  #state: SocketState = 'idle';
  readonly #listeners = new Set<() => void>();

  get state(): SocketState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  change(state: SocketState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

const LONGEST_WAIT_MS = 10_000;
const IDLE_MS = 5_000;
const NORMAL_CLOSE = 1000;

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
  const sockets = createSocketClient({
    url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`,
    connectionParams: accountId === null ? {} : { account: accountId },
    lazyCloseTimeout: IDLE_MS,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: (attempts) => wait(Math.min(LONGEST_WAIT_MS, 250 * 2 ** attempts) * (0.75 + Math.random() / 2)),
    shouldRetry: () => true,
    on: {
      connected: () => status.change('connected'),
      closed: (event) => status.change(event instanceof CloseEvent && event.code === NORMAL_CLOSE ? 'idle' : 'dropped'),
    },
  });
  return {
    client: new Client({
      ...options,
      exchanges: [cacheExchange({ keys: embedded, updates, optimistic }), fetchExchange],
    }),
    rows: new Client({ ...options, exchanges: [fetchExchange] }),
    sockets,
    status,
    // What was still being connected fails by this, as it should.
    close: () => void Promise.resolve(sockets.dispose()).catch(() => undefined),
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
