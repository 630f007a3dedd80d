import { createClient } from '@redis/client';
import { redisOptions } from './redis-options.ts';

const CHANNEL = 'sluice:keys';

export interface KeyChange {
  readonly id: string;
  readonly revoked: boolean;
}

export interface KeyChangeLog {
  warn(fields: object, message: string): void;
}

/**
 * Tells the other processes on one Redis of keys that were changed or revoked, as it happens. What is told while Redis is away
 * is lost: whoever listens looks into the database besides.
 */
export class RedisKeyChanges {
  readonly #teller;
  readonly #listener;

  constructor(url: string, log: KeyChangeLog) {
    const options = { ...redisOptions(), url, disableOfflineQueue: true };
    let down = false;
    const onError = (err: unknown): void => {
      if (!down) log.warn({ err }, 'Redis cannot be reached; changes of keys are looked for in the database');
      down = true;
    };
    const onReady = (): void => {
      down = false;
    };
    this.#teller = createClient(options).on('error', onError).on('ready', onReady);
    // One that subscribes sends nothing else; its subscription is made again with each connection.
    this.#listener = createClient({ ...options, disableOfflineQueue: false }).on('error', onError);
  }

  /** Begins to listen; does not wait for Redis. */
  open(listener: (change: KeyChange) => void): void {
    void this.#teller.connect().catch(() => undefined);
    void this.#listener.connect().catch(() => undefined);
    const told = (message: string): void => {
      const [id, what] = message.split(' ');
      if (id) listener({ id, revoked: what === 'revoked' });
    };
    void this.#listener.subscribe(CHANNEL, told).catch(() => undefined);
  }

  tell({ id, revoked }: KeyChange): void {
    void this.#teller.publish(CHANNEL, `${id} ${revoked ? 'revoked' : 'changed'}`).catch(() => undefined);
  }

  close(): void {
    this.#teller.destroy();
    this.#listener.destroy();
  }
}
