import { createHash } from 'node:crypto';
import type { Clock } from '../calendar/clock.ts';
import { RedisConnection } from './redis/redis-connection.ts';
import type { RedisStoreOptions } from './redis-options.ts';

const ATTEMPTS = 'sluice:attempts:';
const POINTS = 'sluice:points:';
const DEFAULT_TIMEOUT_MS = 500;
const MINUTE_MS = 60_000;

/** ARGV[1]: the time in ms, or an empty text for Redis' own. */
const NOW = `
local now = tonumber(ARGV[1])
if now == nil then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/** KEYS: attempts. ARGV[2] to [5]: attempts without a delay, the first delay, the longest, after which time they are forgotten. */
const ATTEMPT_SCRIPT = `${NOW}
local free, first, longest = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local found = redis.call('HMGET', KEYS[1], 'count', 'at')
local count = tonumber(found[1] or 0)
local delay = count < free and 0 or math.min(longest, first * 2 ^ (count - free))
local left = tonumber(found[2] or 0) + delay - now
if delay > 0 and left > 0 then return left end
redis.call('HSET', KEYS[1], 'count', string.format('%.0f', count + 1), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 0`;

/** KEYS: attempts. Removes one. */
const UNDO_SCRIPT = `
if tonumber(redis.call('HGET', KEYS[1], 'count') or 0) > 0 then redis.call('HINCRBY', KEYS[1], 'count', -1) end
return 1`;

/** KEYS: bucket. ARGV[2] and [3]: points per minute, cost. Returns whether it was granted, and the points that are left. */
const SPEND_SCRIPT = `${NOW}
local perMinute, cost = tonumber(ARGV[2]), tonumber(ARGV[3])
local found = redis.call('HMGET', KEYS[1], 'points', 'at')
local points = perMinute
if found[1] then
  local elapsed = math.max(0, now - tonumber(found[2]))
  points = math.min(perMinute, tonumber(found[1]) + elapsed * perMinute / ${MINUTE_MS})
end
local granted = points >= cost and 1 or 0
if granted == 1 then points = points - cost end
redis.call('HSET', KEYS[1], 'points', string.format('%.17g', points), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], ${MINUTE_MS})
return { granted, string.format('%.17g', points) }`;

export interface AttemptRule {
  readonly free: number;
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
  readonly resetAfterMs: number;
}

interface Log {
  warn(fields: object, message: string): void;
}

/** Sign-in attempts and points of the GraphQL API in Redis or Valkey, shared by several processes. */
export class RedisThrottles {
  readonly #redis: RedisConnection;
  readonly #timeoutMs: number;
  /** For the times in Redis; its own if absent. */
  readonly #clock: Clock | undefined;
  #down = false;

  constructor({ log, ...options }: RedisStoreOptions<Log>) {
    this.#clock = options.clock;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#redis = new RedisConnection({
      ...options,
      onReady: () => (this.#down = false),
      onError: (err) => {
        if (!this.#down) log.warn({ err }, 'Redis is unavailable; sign-ins and GraphQL points are limited per process');
        this.#down = true;
      },
    });
  }

  /** Starts to connect, without waiting. */
  open(): Promise<void> {
    return this.#redis.open();
  }

  /**
   * Counts an attempt, unless the subject has to wait.
   * @returns for how long, in ms; 0 if it was counted
   * @throws Error if Redis is unavailable
   */
  async attempt(subject: string, { free, firstWaitMs, maxWaitMs, resetAfterMs }: AttemptRule): Promise<number> {
    const given = [free, firstWaitMs, maxWaitMs, resetAfterMs];
    return Number(await this.#run(ATTEMPT_SCRIPT, ATTEMPTS + hashed(subject), given));
  }

  /** Removes one attempt. */
  undo(subject: string): void {
    this.#run(UNDO_SCRIPT, ATTEMPTS + hashed(subject), []).catch(() => undefined);
  }

  /** Removes all attempts. */
  clear(subject: string): void {
    const key = ATTEMPTS + hashed(subject);
    this.#redis.send(key, ['DEL', key], { timeoutMs: this.#timeoutMs }).catch(() => undefined);
  }

  /** @throws Error if Redis is unavailable */
  async spend(caller: string, cost: number, perMinute: number): Promise<{ granted: boolean; points: number }> {
    const reply = await this.#run(SPEND_SCRIPT, POINTS + hashed(caller), [perMinute, cost]);
    const [granted, points] = Array.isArray(reply) ? reply.map(Number) : [];
    return { granted: granted === 1, points: points ?? 0 };
  }

  close(): void {
    this.#redis.close();
  }

  #run(script: string, key: string, given: readonly number[]): Promise<unknown> {
    const now = this.#clock === undefined ? '' : String(this.#clock.now());
    const command = ['EVAL', script, '1', key, now, ...given.map(String)];
    return this.#redis.send(key, command, { timeoutMs: this.#timeoutMs });
  }
}

/** Subjects contain addresses of people. */
function hashed(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}
