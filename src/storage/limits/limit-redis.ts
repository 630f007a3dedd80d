import { createHash } from 'node:crypto';
import { createClient, ErrorReply } from '@redis/client';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { withResponseTimeout } from '../response-timeout.ts';
import { redisOptions, type RedisStoreOptions } from '../redis-options.ts';
import { limitScript } from './limit-script.ts';

const DEFAULT_TIMEOUT_MS = 500;

export interface LimitLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** Runs the steps of the limit script in Redis or Valkey. */
export class LimitRedis {
  readonly #client;
  readonly #sha = createHash('sha1').update(limitScript).digest('hex');
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #down = false;

  /** @param onReady called each time the connection is ready again */
  constructor({ url, log, timeoutMs, clock }: RedisStoreOptions<LimitLog>, onReady: () => void) {
    this.#clock = clock ?? systemClock;
    this.#timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#client = createClient({ ...redisOptions(timeoutMs), url, disableOfflineQueue: true });
    this.#client.on('ready', () => {
      if (this.#down) log.info({}, 'Redis is available again; limits are shared between processes');
      this.#down = false;
      onReady();
    });
    this.#client.on('error', (err: unknown) => {
      if (!this.#down) log.warn({ err }, 'Redis is unavailable; each process enforces its own share of the limits');
      this.#down = true;
    });
  }

  get isReady(): boolean {
    return this.#client.isReady;
  }

  /** Starts to connect; waits for the first connection for at most the timeout of a command. */
  async open(): Promise<void> {
    const connecting = this.#client.connect().then(
      () => undefined,
      () => undefined,
    );
    await Promise.race([
      connecting,
      new Promise<void>((resolve) => this.#clock.setTimeout(resolve, this.#timeoutMs).unref()),
    ]);
  }

  /** Runs one atomic step. @throws the client's error if Redis is unavailable */
  run(keys: readonly string[], step: object): Promise<unknown> {
    return this.#inTime(this.#runScript(keys, step));
  }

  /** Whether a failed step may have been executed all the same: its reply did not arrive. @param error of `run` */
  static mayHaveRun(error: unknown): boolean {
    return !(error instanceof ErrorReply);
  }

  /** Registers this process. @returns the number of processes */
  async countProcesses(name: string, withinMs: number): Promise<number> {
    const now = this.#clock.now();
    const counting = this.#client
      .multi()
      .zAdd(PROCESSES, { score: now, value: name })
      .zRemRangeByScore(PROCESSES, '-inf', now - withinMs)
      .zCard(PROCESSES)
      .exec();
    const [, , count] = await this.#inTime(counting);
    return typeof count === 'number' ? count : 1;
  }

  close(): void {
    this.#client.destroy();
  }

  #inTime<T>(answer: Promise<T>): Promise<T> {
    return withResponseTimeout(this.#client, this.#timeoutMs, answer, this.#clock);
  }

  async #runScript(keys: readonly string[], step: object): Promise<unknown> {
    const options = { keys: [...keys], arguments: [JSON.stringify(step)] };
    try {
      return await this.#client.evalSha(this.#sha, options);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.#client.eval(limitScript, options);
    }
  }
}

const PROCESSES = 'sluice:limit:processes';
