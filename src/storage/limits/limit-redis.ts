import { createHash } from 'node:crypto';
import { createClient } from '@redis/client';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { answerInTime } from '../answer-in-time.ts';
import { redisOptions } from '../redis-options.ts';
import { limitScript } from './limit-script.ts';

/** One that takes longer is taken to be away. */
const PATIENCE_MS = 500;

export interface LimitLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** Runs the steps of the limit script in Redis or Valkey. */
export class LimitRedis {
  readonly #client;
  readonly #sha = createHash('sha1').update(limitScript).digest('hex');
  readonly #clock: Clock;
  #down = false;

  /** @param onReady called each time that it can be reached again */
  constructor(url: string, log: LimitLog, onReady: () => void, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#client = createClient({ ...redisOptions, url, disableOfflineQueue: true });
    this.#client.on('ready', () => {
      if (this.#down) log.info({}, 'Redis can be reached again; limits are shared');
      this.#down = false;
      onReady();
    });
    this.#client.on('error', (err: unknown) => {
      if (!this.#down)
        log.warn({ err }, 'Redis cannot be reached; each process enforces its share of the limits by itself');
      this.#down = true;
    });
  }

  get isReady(): boolean {
    return this.#client.isReady;
  }

  /** Begins to connect; waits for the first connection for so long as one may take. */
  async open(): Promise<void> {
    const connecting = this.#client.connect().then(
      () => undefined,
      () => undefined,
    );
    await Promise.race([
      connecting,
      new Promise<void>((resolve) => this.#clock.setTimeout(resolve, PATIENCE_MS).unref()),
    ]);
  }

  /** One atomic step. @throws what the client throws where Redis is away */
  run(keys: readonly string[], step: object): Promise<unknown> {
    return answerInTime(this.#client, PATIENCE_MS, this.#runScript(keys, step));
  }

  /** Says that this process is there. @returns how many are */
  async countProcesses(name: string, withinMs: number): Promise<number> {
    const now = this.#clock.now();
    const counting = this.#client
      .multi()
      .zAdd(PROCESSES, { score: now, value: name })
      .zRemRangeByScore(PROCESSES, '-inf', now - withinMs)
      .zCard(PROCESSES)
      .exec();
    const [, , count] = await answerInTime(this.#client, PATIENCE_MS, counting);
    return typeof count === 'number' ? count : 1;
  }

  close(): void {
    this.#client.destroy();
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
