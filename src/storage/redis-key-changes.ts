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
 * Announces changed and revoked keys to other processes through Redis. Messages are lost while Redis is unavailable, so
 * listeners also poll the database.
 */
export class RedisKeyChanges {
  readonly #publisher;
  readonly #subscriber;

  constructor(url: string, log: KeyChangeLog) {
    const options = { ...redisOptions(), url, disableOfflineQueue: true };
    let down = false;
    const onError = (err: unknown): void => {
      if (!down) log.warn({ err }, 'Redis is unavailable; changes of keys are read from the database');
      down = true;
    };
    const onReady = (): void => {
      down = false;
    };
    this.#publisher = createClient(options).on('error', onError).on('ready', onReady);
    // A subscribed connection cannot send; the client subscribes again after each reconnect.
    this.#subscriber = createClient({ ...options, disableOfflineQueue: false }).on('error', onError);
  }

  /** Starts to listen, without waiting for Redis. */
  open(listener: (change: KeyChange) => void): void {
    void this.#publisher.connect().catch(() => undefined);
    void this.#subscriber.connect().catch(() => undefined);
    const onMessage = (message: string): void => {
      const [id, change] = message.split(' ');
      if (id) listener({ id, revoked: change === 'revoked' });
    };
    void this.#subscriber.subscribe(CHANNEL, onMessage).catch(() => undefined);
  }

  publish({ id, revoked }: KeyChange): void {
    void this.#publisher.publish(CHANNEL, `${id} ${revoked ? 'revoked' : 'changed'}`).catch(() => undefined);
  }

  close(): void {
    this.#publisher.destroy();
    this.#subscriber.destroy();
  }
}
