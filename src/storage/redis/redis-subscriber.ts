import { delay, systemClock } from '../../calendar/clock.ts';
import { discoverPrimaries } from './discover-primaries.ts';
import { withoutArguments } from './error-without-arguments.ts';
import { clientOptions, createClient } from './redis-node.ts';
import { addressText, type RedisAddress, type RedisServers } from './redis-servers.ts';

const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [50, 2_000];
const CHECK_INTERVAL_MS = 5_000;

export interface RedisSubscriberOptions {
  readonly servers: RedisServers;
  /** Called each time that all channels are subscribed to; messages between two connections are lost. */
  readonly onReady?: () => void;
  readonly onError?: (error: Error) => void;
}

type Listener = (message: string) => void;

/**
 * A connection that receives published messages. In a cluster every node has them. A lost connection is replaced by one to a
 * current primary, with the same subscriptions.
 */
export class RedisSubscriber {
  readonly #options: RedisSubscriberOptions;
  readonly #channels = new Map<string, Listener>();
  readonly #closed = new AbortController();
  #client: Client | null = null;
  #ready = Promise.withResolvers<void>();
  #turn = 0;

  constructor(options: RedisSubscriberOptions) {
    this.#options = options;
  }

  /** Starts to connect, without waiting. */
  open(): void {
    void this.#run().catch(() => undefined);
  }

  /** Resolves once messages arrive. One listener per channel. */
  async subscribe(channel: string, listener: Listener): Promise<void> {
    this.#channels.set(channel, listener);
    if (this.#client === null) await this.#ready.promise;
    else await this.#client.subscribe(channel, listener);
  }

  async unsubscribe(channel: string): Promise<void> {
    const listener = this.#channels.get(channel);
    this.#channels.delete(channel);
    await this.#client?.unsubscribe(channel, listener);
  }

  close(): void {
    this.#closed.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    for (let pauseMs = MIN_PAUSE_MS; !signal.aborted; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      try {
        await this.#listen(await this.#locate(), () => (pauseMs = MIN_PAUSE_MS));
      } catch (error) {
        if (!signal.aborted && error instanceof Error) this.#options.onError?.(withoutArguments(error));
      }
      await delay(systemClock, pauseMs, signal);
    }
  }

  async #locate(): Promise<RedisAddress> {
    const { servers } = this.#options;
    const ranges = await discoverPrimaries(servers, [], this.#turn++);
    return ranges[Math.floor(Math.random() * ranges.length)]?.primary ?? servers.hosts[0];
  }

  /** Until the connection is lost, its server is no longer a primary, or this is closed. @throws why */
  async #listen(address: RedisAddress, onConnected: () => void): Promise<void> {
    const client = clientFor(this.#options.servers, address);
    const { promise: ended, reject } = Promise.withResolvers<never>();
    ended.catch(() => undefined);
    client.on('error', reject);
    const onClosed = (): void => reject(new Error('closed'));
    const { signal } = this.#closed;
    signal.addEventListener('abort', onClosed);
    const timer =
      this.#options.servers.kind === 'standalone'
        ? null
        : systemClock.setInterval(() => void this.#check(address, reject), CHECK_INTERVAL_MS).unref();
    try {
      signal.throwIfAborted();
      await Promise.race([this.#subscribeAll(client), ended]);
      onConnected();
      this.#ready.resolve();
      this.#options.onReady?.();
      await ended;
    } finally {
      if (this.#client !== null) {
        this.#client = null;
        this.#ready = Promise.withResolvers();
      }
      signal.removeEventListener('abort', onClosed);
      timer?.cancel();
      if (client.isOpen) client.destroy();
    }
  }

  async #subscribeAll(client: Client): Promise<void> {
    await client.connect();
    // Some may be added meanwhile.
    const subscribed = new Map<string, Listener>();
    for (;;) {
      const missing = [...this.#channels].filter(([channel]) => !subscribed.has(channel));
      if (missing.length === 0) break;
      await Promise.all(
        missing.map(([channel, listener]) => {
          subscribed.set(channel, listener);
          return client.subscribe(channel, listener);
        }),
      );
    }
    // From here on, new channels are subscribed to directly.
    if (client.isReady) this.#client = client;
  }

  async #check(address: RedisAddress, onMoved: (error: Error) => void): Promise<void> {
    const name = addressText(address);
    // While none is known, the connection is as good as any.
    const ranges = await discoverPrimaries(this.#options.servers, [], this.#turn++).catch(() => null);
    if (ranges === null || ranges.some(({ primary }) => addressText(primary) === name)) return;
    onMoved(new Error(`Redis at ${name} is no longer a primary`));
  }
}

type Client = ReturnType<typeof clientFor>;

function clientFor(servers: RedisServers, address: RedisAddress) {
  return createClient(clientOptions(servers, address, { once: true }));
}
