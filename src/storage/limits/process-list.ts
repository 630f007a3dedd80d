import { delay, type Clock } from '../../calendar/clock.ts';

/** A process without a heartbeat for this long counts as ended. */
const DEAD_MS = 10_000;
const POLL_MS = 100;
/** For five seconds: less than others wait for a process without a heartbeat. */
const MAX_HOLD_POLLS = 50;
const PROCESSES = 'sluice:limit:processes';
/** Of a process that counted as ended when budgets were counted. */
const missedKey = (name: string): string => `sluice:limit:missed:${name}`;
const MISSED_TTL_MS = 3_600_000;

/** Sends a command to Redis, about a key. @throws where it is unavailable */
type Send = (key: string, command: readonly string[]) => Promise<unknown>;

export interface ProcessListOptions {
  readonly name: string;
  readonly clock: Clock;
  /** How long an entry without a heartbeat is kept. */
  readonly keptMs: number;
  readonly send: Send;
  /**
   * Holds again in Redis what this process holds, before others count on it.
   * @param accountIds all if null @returns accounts with a budget that Redis lost, and that is not opened again
   */
  readonly holdAgain: (accountIds: ReadonlySet<string> | null) => Promise<ReadonlySet<string>>;
  /** Others counted budgets without this process. */
  readonly onMissed: () => void;
}

interface Known {
  readonly heartbeat: string;
  /** When this process first read this heartbeat, of the clock's `monotonic`: clocks of other machines do not matter. */
  since: number;
}

/**
 * The processes that share limits, in Redis. Where Redis lost its data, the list is empty: a process is in it again once Redis
 * has what it holds.
 */
export class ProcessList {
  readonly #options: ProcessListOptions;
  readonly #known = new Map<string, Known>();
  #holding: Promise<void> | null = null;
  #hasRegistered = false;
  #updatedAt: number;

  constructor(options: ProcessListOptions) {
    this.#options = options;
    this.#updatedAt = options.clock.monotonic();
  }

  /** Registers this process. @returns the number of processes @throws where Redis is unavailable */
  async update(): Promise<number> {
    return (await this.#present()).size;
  }

  /**
   * Resolves when every other process is in the list that was in it before Redis lost it, or counts as ended.
   * @throws where Redis is unavailable
   */
  async whenComplete(): Promise<void> {
    const { clock, send } = this.#options;
    for (;;) {
      const present = await this.#present();
      const missing = [...this.#known].filter(([name]) => !present.has(name));
      const dead = missing.filter(([, { since }]) => clock.monotonic() - since >= DEAD_MS).map(([name]) => name);
      for (const name of dead) {
        await send(missedKey(name), ['SET', missedKey(name), '1', 'PX', String(MISSED_TTL_MS)]);
        this.#known.delete(name);
      }
      if (missing.length === dead.length) return;
      await delay(clock, POLL_MS);
    }
  }

  async #present(): Promise<ReadonlyMap<string, string>> {
    const { name, send, onMissed } = this.#options;
    let present = await this.#send('XX');
    if (!present.has(name)) {
      await (this.#holding ??= this.#holdAgain().finally(() => (this.#holding = null)));
      present = await this.#send('NX');
      const key = missedKey(name);
      if (this.#hasRegistered && (await send(key, ['DEL', key])) === 1) onMissed();
    }
    this.#hasRegistered = true;
    this.#observe(present);
    return present;
  }

  /**
   * A budget that Redis lost has to be opened for it, by this process or by another one, which must not finish its count before. One
   * that was removed meanwhile is never opened.
   */
  async #holdAgain(): Promise<void> {
    const { clock, holdAgain } = this.#options;
    const accountIds = await holdAgain(null);
    let lost = accountIds;
    for (let polls = 0; lost.size > 0 && polls < MAX_HOLD_POLLS; polls++) {
      await delay(clock, POLL_MS);
      lost = await holdAgain(accountIds);
    }
  }

  /** @param mode of `ZADD` */
  async #send(mode: 'XX' | 'NX'): Promise<ReadonlyMap<string, string>> {
    const { name, clock, keptMs, send } = this.#options;
    const now = clock.now();
    const reply = await send(PROCESSES, [
      'EVAL',
      UPDATE_SCRIPT,
      '1',
      PROCESSES,
      name,
      String(now),
      String(now - keptMs),
      mode,
    ]);
    const list = Array.isArray(reply) ? reply.map(String) : [];
    return new Map(list.flatMap((each, at) => (at % 2 === 0 ? [[each, list[at + 1] ?? ''] as const] : [])));
  }

  #observe(present: ReadonlyMap<string, string>): void {
    const { name: own, clock, keptMs } = this.#options;
    const now = clock.monotonic();
    const awayMs = Math.max(0, now - this.#updatedAt - DEAD_MS / 2);
    this.#updatedAt = now;
    for (const [name, known] of this.#known) {
      // No process could send a heartbeat while Redis was away.
      known.since += awayMs;
      if (!present.has(name) && now - known.since > keptMs) this.#known.delete(name);
    }
    for (const [name, heartbeat] of present)
      if (name !== own && this.#known.get(name)?.heartbeat !== heartbeat)
        this.#known.set(name, { heartbeat, since: now });
  }
}

/** KEYS: times of processes (sorted set). ARGV: name, now, the time before which others count as ended, the mode. */
const UPDATE_SCRIPT = `
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf', 'WITHSCORES')`;
