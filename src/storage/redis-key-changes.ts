import { RedisConnection } from './redis/redis-connection.ts';
import type { RedisServers } from './redis/redis-servers.ts';
import { RedisSubscriber } from './redis/redis-subscriber.ts';

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
  readonly #publisher: RedisConnection;
  readonly #subscriber: RedisSubscriber;

  constructor(servers: RedisServers, log: KeyChangeLog) {
    let down = false;
    const onError = (err: unknown): void => {
      if (!down) log.warn({ err }, 'Redis is unavailable; changes of keys are read from the database');
      down = true;
    };
    const onReady = (): void => {
      down = false;
    };
    this.#publisher = new RedisConnection({ servers, onReady, onError });
    this.#subscriber = new RedisSubscriber({ servers, onError });
  }

  /** Starts to listen, without waiting for Redis. */
  open(listener: (change: KeyChange) => void): void {
    void this.#publisher.open();
    this.#subscriber.open();
    const onMessage = (message: string): void => {
      const [id, change] = message.split(' ');
      if (id) listener({ id, revoked: change === 'revoked' });
    };
    void this.#subscriber.subscribe(CHANNEL, onMessage).catch(() => undefined);
  }

  publish({ id, revoked }: KeyChange): void {
    const message = `${id} ${revoked ? 'revoked' : 'changed'}`;
    void this.#publisher.send(null, ['PUBLISH', CHANNEL, message]).catch(() => undefined);
  }

  close(): void {
    this.#publisher.close();
    this.#subscriber.close();
  }
}
