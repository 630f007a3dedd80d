import { RedisClient, RESP_TYPES } from '@redis/client';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { redisOptions } from '../redis-options.ts';
import { withResponseTimeout } from '../response-timeout.ts';
import { withoutArguments } from './error-without-arguments.ts';
import type { RedisAddress, RedisCredentials, RedisServers } from './redis-servers.ts';

export type RedisCommand = readonly (string | Buffer)[];

export interface SendOptions {
  /** How long the server may take to respond; unlimited if absent. */
  readonly timeoutMs?: number | undefined;
  /** Strings in the response are buffers. */
  readonly asBuffers?: boolean;
}

export interface RedisNodeOptions {
  readonly servers: RedisServers;
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly onReady?: () => void;
  readonly onError?: (error: Error) => void;
  /** Ends with the first lost connection. */
  readonly once?: boolean;
  readonly isSentinel?: boolean;
}

/** The library's own builds the methods of hundreds of commands for each client that has other options than the one before. */
export const createClient = RedisClient.factory();

const buffers = { [RESP_TYPES.BLOB_STRING]: Buffer };

/** Options of a client of one server. */
export function clientOptions(servers: RedisServers, address: RedisAddress, options: Partial<RedisNodeOptions> = {}) {
  const { timeoutMs, once = false, isSentinel = false } = options;
  const { username, password }: RedisCredentials = isSentinel ? servers.sentinelCredentials : servers.credentials;
  const { socket, ...rest } = redisOptions(timeoutMs);
  const at = { ...socket, host: address.host, port: address.port, ...(once && { reconnectStrategy: false as const }) };
  return {
    ...rest,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(servers.kind !== 'cluster' && !isSentinel && servers.database > 0 && { database: servers.database }),
    socket: servers.tls === null ? at : { ...at, ...defined(servers.tls), tls: true as const },
  };
}

/** The connection to one server. It reconnects until it is closed, and sends nothing while it is not connected. */
export class RedisNode {
  readonly #client;
  readonly #clock: Clock;

  constructor(address: RedisAddress, options: RedisNodeOptions) {
    const { servers, clock = systemClock, onReady, onError } = options;
    this.#clock = clock;
    this.#client = createClient({ ...clientOptions(servers, address, options), disableOfflineQueue: true });
    this.#client.on('ready', () => onReady?.());
    // Without a listener, an error ends the process.
    this.#client.on('error', (error: Error) => onError?.(withoutArguments(error)));
  }

  get isReady(): boolean {
    return this.#client.isReady;
  }

  /** @throws the error of the connection, if it does not reconnect or is closed */
  async connect(): Promise<void> {
    try {
      await this.#client.connect();
    } catch (error) {
      throw withoutArguments(error);
    }
  }

  send(command: RedisCommand, { timeoutMs, asBuffers = false }: SendOptions = {}): Promise<unknown> {
    const sent = this.#client.sendCommand<unknown>([...command], asBuffers ? { typeMapping: buffers } : {});
    return timeoutMs === undefined ? sent : withResponseTimeout(this.#client, timeoutMs, sent, this.#clock);
  }

  /** Waits for the responses of the commands that were sent. */
  drain(): void {
    if (this.#client.isReady) this.#client.close().catch(() => this.#client.destroy());
    else this.close();
  }

  close(): void {
    if (this.#client.isOpen) this.#client.destroy();
  }
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}
