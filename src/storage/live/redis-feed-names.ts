import { randomBytes } from 'node:crypto';
import type { FeedPlace } from '../../live/feeds/remote-feeds.ts';
import type { RedisConnection } from '../redis/redis-connection.ts';

const NAME = 'sluice:feed:';
const PROCESS = 'sluice:feed-process:';
/** As long as a request id is claimed. */
const NAME_MS = 24 * 60 * 60_000;
/** A process that does not renew its lease within this time counts as ended. */
export const LEASE_MS = 15_000;
/** While Redis is unavailable. */
const MAX_UNRELEASED = 10_000;

/** KEYS: name. ARGV: this process, lifetime in ms. Returns another process that has it. */
const CLAIM_SCRIPT = `
local found = redis.call('GET', KEYS[1])
if found and found ~= ARGV[1] then return found end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false`;

/** KEYS: name. ARGV: this process. */
const RELEASE_SCRIPT = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** Which process has which feed, in Redis or Valkey, as durably as that server stores it. */
export class RedisFeedNames {
  /** The name of this process. */
  readonly own = randomBytes(12).toString('base64url');
  readonly #redis: RedisConnection;
  readonly #timeoutMs: number;
  /** Names of this process that Redis may not know. */
  readonly #unstored = new Set<string>();
  /** Names that it has released, of which Redis may not know. */
  readonly #unreleased = new Set<string>();

  /** @param timeoutMs of a command that is waited for */
  constructor(redis: RedisConnection, timeoutMs: number) {
    this.#redis = redis;
    this.#timeoutMs = timeoutMs;
  }

  async claim(name: string): Promise<FeedPlace> {
    this.#unreleased.delete(name);
    const found = await this.#script(CLAIM_SCRIPT, name, [this.own, String(NAME_MS)]);
    if (typeof found !== 'string') return 'here';
    return (await this.#isAlive(found)) ? 'elsewhere' : 'ended';
  }

  /** Stores that a name is of this process, as soon as Redis is reached. */
  keep(name: string): void {
    this.#unstored.add(name);
    const stored = (): boolean => this.#unstored.delete(name);
    this.#script(CLAIM_SCRIPT, name, [this.own, String(NAME_MS)]).then(stored, () => undefined);
  }

  /** Removes the name, as soon as Redis is reached. */
  release(name: string): void {
    this.#unstored.delete(name);
    this.#unreleased.add(name);
    const [oldest = name] = this.#unreleased;
    if (this.#unreleased.size > MAX_UNRELEASED) this.#unreleased.delete(oldest);
    const released = (): boolean => this.#unreleased.delete(name);
    this.#script(RELEASE_SCRIPT, name, [this.own]).then(released, () => undefined);
  }

  /** Another process that has a name, and runs. */
  async ownerOf(name: string): Promise<string | null> {
    const key = NAME + name;
    const owner = await this.#redis.send(key, ['GET', key], { timeoutMs: this.#timeoutMs });
    if (typeof owner !== 'string' || owner === this.own) return null;
    return (await this.#isAlive(owner)) ? owner : null;
  }

  /** That this process runs, and what Redis may not know. */
  sendAgain(): void {
    this.#renew();
    for (const name of this.#unstored) this.keep(name);
    for (const name of this.#unreleased) this.release(name);
  }

  /** This process ends. What it claimed stays claimed. */
  leave(): void {
    const key = PROCESS + this.own;
    this.#redis.send(key, ['DEL', key]).catch(() => undefined);
  }

  #renew(): void {
    const key = PROCESS + this.own;
    this.#redis.send(key, ['SET', key, '1', 'PX', String(LEASE_MS)]).catch(() => undefined);
  }

  async #isAlive(process: string): Promise<boolean> {
    const key = PROCESS + process;
    return (await this.#redis.send(key, ['EXISTS', key], { timeoutMs: this.#timeoutMs })) === 1;
  }

  #script(script: string, name: string, given: readonly string[]): Promise<unknown> {
    const key = NAME + name;
    return this.#redis.send(key, ['EVAL', script, '1', key, ...given], { timeoutMs: this.#timeoutMs });
  }
}
