import { delay, type Clock } from '../../calendar/clock.ts';

/** A process without a heartbeat for this long counts as ended. */
const DEAD_MS = 10_000;
const POLL_MS = 100;
/** For five seconds: less than others wait for a process without a heartbeat. */
const MAX_HOLD_POLLS = 50;
const MISSED_TTL_MS = 3_600_000;

/** Keys of a list, on one server. */
export interface ProcessListKeys {
  readonly list: string;
  /** With the name of a process, the key that marks that it counted as ended when budgets were counted. */
  readonly missed: string;
}

export interface ProcessListOptions {
  readonly name: string;
  readonly keys: ProcessListKeys;
  readonly clock: Clock;
  /** How long an entry without a heartbeat is kept. */
  readonly keptMs: number;
  /** Sends a command to Redis, about a key. @throws where it is unavailable */
  readonly send: (key: string, command: readonly string[]) => Promise<unknown>;
  /**
   * Holds again on the server of the list what this process holds, before others count on it.
   * @param accountIds all if null @returns accounts with a budget that Redis lost, and that is not opened again
   */
  readonly holdAgain: (accountIds: ReadonlySet<string> | null) => Promise<ReadonlySet<string>>;
  /** Budgets that are open on the server may lack charges: it has older data than before, or others counted without this process. */
  readonly onInexact: (why: string) => void;
}

interface Known {
  readonly heartbeat: number;
  /** When this process first read this heartbeat, of the clock's `monotonic`: clocks of other machines do not matter. */
  since: number;
}

/**
 * The processes that share limits, in a list on a server of Redis. Where it lost its data, the list is empty or older than before:
 * a process is in it again once the server has what it holds.
 */
export class ProcessList {
  readonly #options: ProcessListOptions;
  readonly #known = new Map<string, Known>();
  #holding: Promise<void> | null = null;
  #hasRegistered = false;
  /** Heartbeats only grow, also where the clock is set back. */
  #lastHeartbeat = 0;
  #lastStored = 0;
  #hasOlderData = false;
  /** It was not in the list, and `onInexact` was not called since. */
  #mayBeInexact = false;
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
    const { clock, keys, send } = this.#options;
    for (;;) {
      const present = await this.#present();
      const missing = [...this.#known].filter(([name]) => !present.has(name));
      const dead = missing.filter(([, { since }]) => clock.monotonic() - since >= DEAD_MS).map(([name]) => name);
      for (const name of dead) {
        const key = keys.missed + name;
        await send(key, ['SET', key, '1', 'PX', String(MISSED_TTL_MS)]);
        this.#known.delete(name);
      }
      if (missing.length === dead.length) return;
      await delay(clock, POLL_MS);
    }
  }

  async #present(): Promise<ReadonlyMap<string, number>> {
    const { name } = this.#options;
    let present = await this.#send('XX');
    if (!present.has(name)) {
      await (this.#holding ??= this.#holdAgain().finally(() => (this.#holding = null)));
      present = await this.#send('NX');
      this.#mayBeInexact = true;
    }
    // Again where Redis was unavailable the last time.
    if (this.#mayBeInexact) await this.#reportInexact();
    this.#hasRegistered = true;
    this.#observe(present);
    return present;
  }

  async #reportInexact(): Promise<void> {
    const { name, keys, send, onInexact } = this.#options;
    const key = keys.missed + name;
    if (this.#hasRegistered && (await send(key, ['DEL', key])) === 1)
      onInexact('budgets were counted without this process');
    if (this.#hasOlderData) onInexact('Redis has older data than before');
    this.#hasOlderData = false;
    this.#mayBeInexact = false;
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

  /** @param mode of `ZADD` @returns the heartbeats of processes, without those that are older than what this process has read */
  async #send(mode: 'XX' | 'NX'): Promise<ReadonlyMap<string, number>> {
    const { name, keys, clock, keptMs, send } = this.#options;
    const now = clock.now();
    const heartbeat = Math.max(now, this.#lastHeartbeat + 1);
    this.#lastHeartbeat = heartbeat;
    const stored = this.#lastStored;
    const reply = await send(keys.list, [
      'EVAL',
      UPDATE_SCRIPT,
      '1',
      keys.list,
      name,
      String(heartbeat),
      String(now - keptMs),
      mode,
      String(stored),
    ]);
    const [before = '', ...list] = Array.isArray(reply) ? reply.map(String) : [];
    if (before !== '' && Number(before) < stored) this.#hasOlderData = true;
    const present = new Map<string, number>();
    for (let at = 0; at < list.length; at += 2) {
      const [each = '', score] = list.slice(at, at + 2);
      if (Number(score) >= (this.#known.get(each)?.heartbeat ?? 0)) present.set(each, Number(score));
    }
    this.#lastStored = Math.max(this.#lastStored, present.get(name) ?? 0);
    return present;
  }

  #observe(present: ReadonlyMap<string, number>): void {
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

/**
 * KEYS: times of processes (sorted set). ARGV: name, now, the time before which others count as ended, the mode, the last time that
 * this process knows to be stored: an older one is of a server that lost what it was sent since. Returns the time before, and all.
 */
const UPDATE_SCRIPT = `
local found = redis.call('ZSCORE', KEYS[1], ARGV[1])
if found and tonumber(found) < tonumber(ARGV[5]) then redis.call('ZREM', KEYS[1], ARGV[1]) end
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
return { found or '', unpack(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf', 'WITHSCORES')) }`;
