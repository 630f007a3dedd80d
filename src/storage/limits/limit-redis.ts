import { createHash } from 'node:crypto';
import { ErrorReply } from '@redis/client';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { RedisConnection } from '../redis/redis-connection.ts';
import type { RedisStoreOptions } from '../redis-options.ts';
import { limitScript } from './limit-script.ts';

const DEFAULT_TIMEOUT_MS = 500;
/** Processes have to know the same primaries of a cluster. */
const SLOTS_REFRESH_MS = 5_000;

export interface LimitLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** Runs the steps of the limit script in Redis or Valkey. */
export class LimitRedis {
  readonly #redis: RedisConnection;
  readonly #sha = createHash('sha1').update(limitScript).digest('hex');
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #down = false;

  /**
   * @param onReady called each time a connection is ready again
   * @param onPromoted called when another server has become a primary, which may lack the last writes of the one before
   */
  constructor(
    { servers, log, timeoutMs, clock }: RedisStoreOptions<LimitLog>,
    onReady: () => void,
    onPromoted: () => void = () => undefined,
  ) {
    this.#clock = clock ?? systemClock;
    this.#timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#redis = new RedisConnection({
      servers,
      timeoutMs,
      clock,
      refreshMs: SLOTS_REFRESH_MS,
      onPromoted,
      onReady: () => {
        if (this.#down) log.info({}, 'Redis is available again; limits are shared between processes');
        this.#down = false;
        onReady();
      },
      onError: (err) => {
        if (!this.#down) log.warn({ err }, 'Redis is unavailable; each process enforces its own share of the limits');
        this.#down = true;
      },
    });
  }

  get isReady(): boolean {
    return this.#redis.isReady;
  }

  /** The first slot of each primary, connected or not. */
  get firstSlots(): readonly number[] {
    return this.#redis.firstSlots;
  }

  /** The first slot of the primary that has a key; null where it is not known. */
  firstSlotOf(key: string): number | null {
    return this.#redis.firstSlotOf(key);
  }

  /** Starts to connect; waits for the first connection for at most the timeout of a command. */
  async open(): Promise<void> {
    await Promise.race([
      this.#redis.open(),
      new Promise<void>((resolve) => this.#clock.setTimeout(resolve, this.#timeoutMs).unref()),
    ]);
  }

  /** Runs one atomic step. @throws the client's error if Redis is unavailable */
  async run(keys: readonly string[], step: object): Promise<unknown> {
    const [key = null] = keys;
    const given = [String(keys.length), ...keys, JSON.stringify(step)];
    const options = { timeoutMs: this.#timeoutMs };
    try {
      return await this.#redis.send(key, ['EVALSHA', this.#sha, ...given], options);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.#redis.send(key, ['EVAL', limitScript, ...given], options);
    }
  }

  /** Whether a failed step may have been executed all the same: its reply did not arrive. @param error of `run` */
  static mayHaveRun(error: unknown): boolean {
    return !(error instanceof ErrorReply);
  }

  /** Sends a command about a key. @throws the client's error if Redis is unavailable */
  send(key: string, command: readonly string[]): Promise<unknown> {
    return this.#redis.send(key, [...command], { timeoutMs: this.#timeoutMs });
  }

  close(): void {
    this.#redis.close();
  }
}
