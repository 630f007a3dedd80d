import { randomBytes } from 'node:crypto';
import { createClient, RESP_TYPES } from '@redis/client';
import { systemClock, type Clock, type Timer } from '../calendar/clock.ts';
import type { OtherClaim, SharedClaims, SharedState } from '../gateway/idempotency/shared-claims.ts';
import { withResponseTimeout } from './response-timeout.ts';
import { redisOptions, type RedisStoreOptions } from './redis-options.ts';

const CLAIM = 'sluice:idempotency:claim:';
const ANSWER = 'sluice:idempotency:answer:';
const PROCESS = 'sluice:idempotency:process:';
const RETENTION_MS = 24 * 60 * 60_000;
const DEFAULT_TIMEOUT_MS = 1_000;
/** For reading an answer, which may be megabytes long. */
const DEFAULT_ANSWER_TIMEOUT_MS = 5_000;
/** A process that does not renew its lease within this time counts as dead, and its claims as interrupted. */
const LEASE_MS = 60_000;
const RENEW_MS = 15_000;
const MAX_UNSENT = 10_000;

/**
 * KEYS: claim. ARGV: prefix of this process's running claims, the new claim, its lifetime in ms. Returns another process's
 * claim.
 */
const CLAIM_SCRIPT = `
local found = redis.call('GET', KEYS[1])
if found and string.sub(found, 1, #ARGV[1]) ~= ARGV[1] then return found end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return false`;

/** KEYS: claim. ARGV: its expected value, its new value; an empty one deletes it. */
const END_SCRIPT = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '' then return redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
return 1`;

const marks: Readonly<Record<SharedState, string>> = { running: 'R', kept: 'K', 'not kept': 'N', interrupted: 'I' };

interface Log {
  warn(fields: object, message: string): void;
}

/**
 * Idempotency claims in Redis or Valkey, shared by several processes: `<state> <process>.<number> <fingerprint>`. They are as
 * durable as that server. While it is unavailable, nothing is claimed.
 */
export class RedisClaims implements SharedClaims {
  readonly #client;
  readonly #process = randomBytes(12).toString('base64url');
  readonly #timer: Timer;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #answerTimeoutMs: number;
  /** Running claims of this process, by scope. */
  readonly #own = new Map<string, string>();
  /** Ends that Redis did not receive: they are sent when it is back. */
  readonly #unsent = new Map<string, readonly [claim: string, next: string]>();
  #number = 0;
  #down = false;

  constructor({ url, log, timeoutMs, clock = systemClock }: RedisStoreOptions<Log>) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#answerTimeoutMs = timeoutMs ?? DEFAULT_ANSWER_TIMEOUT_MS;
    this.#client = createClient({ ...redisOptions(timeoutMs), url, disableOfflineQueue: true });
    this.#client.on('ready', () => this.#reached());
    this.#client.on('error', (err: unknown) => {
      if (!this.#down) log.warn({ err }, 'Redis is unavailable; requests with an Idempotency-Key are rejected');
      this.#down = true;
    });
    this.#timer = clock.setInterval(() => this.#renew(), RENEW_MS).unref();
  }

  /** Waits for the first connection for at most the timeout of a command. */
  async open(): Promise<void> {
    const connecting = this.#client.connect().catch(() => undefined);
    await this.#inTime(connecting).catch(() => undefined);
  }

  async claim(scope: string, fingerprint: string): Promise<OtherClaim | null> {
    const claim = `R ${this.#process}.${++this.#number} ${fingerprint}`;
    this.#own.set(scope, claim);
    this.#unsent.delete(scope);
    try {
      const found = await this.#run(CLAIM_SCRIPT, scope, [`R ${this.#process}.`, claim, String(RETENTION_MS)]);
      if (typeof found !== 'string') return null;
      this.#own.delete(scope);
      return await this.#other(found);
    } catch (error) {
      // It may have been claimed before the connection was lost.
      this.free(scope);
      throw error;
    }
  }

  free(scope: string): void {
    const claim = this.#own.get(scope);
    if (claim === undefined) return;
    this.#own.delete(scope);
    this.#end(scope, claim, '');
  }

  ended(scope: string, state: Exclude<SharedState, 'running'>, sealed: Buffer | null): void {
    const claim = this.#own.get(scope);
    if (claim === undefined) return;
    this.#own.delete(scope);
    const expiration = { type: 'PX', value: RETENTION_MS } as const;
    // On one connection, so that the answer is stored before the claim refers to it.
    if (sealed !== null) this.#client.set(ANSWER + scope, sealed, { expiration }).catch(() => undefined);
    this.#end(scope, claim, marks[state] + claim.slice(1));
  }

  async answer(scope: string): Promise<Buffer> {
    const client = this.#client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
    const found: unknown = await this.#inTime(client.get(ANSWER + scope), this.#answerTimeoutMs);
    if (!Buffer.isBuffer(found)) throw new Error('the stored response is no longer in Redis');
    return found;
  }

  close(): void {
    this.#timer.cancel();
    if (this.#client.isReady) this.#client.close().catch(() => this.#client.destroy());
    else this.#client.destroy();
  }

  async #other(found: string): Promise<OtherClaim> {
    const [mark = '', owner = '', fingerprint = ''] = found.split(' ');
    if (mark === 'K') return { state: 'kept', fingerprint };
    if (mark === 'N') return { state: 'not kept', fingerprint };
    if (mark !== 'R') return { state: 'interrupted', fingerprint };
    const [process = ''] = owner.split('.');
    const alive = await this.#inTime(this.#client.exists(PROCESS + process));
    return { state: alive === 1 ? 'running' : 'interrupted', fingerprint };
  }

  #run(script: string, scope: string, given: string[]): Promise<unknown> {
    const running = this.#client.eval(script, { keys: [CLAIM + scope], arguments: given });
    return this.#inTime(running);
  }

  #inTime<T>(answer: Promise<T>, timeoutMs = this.#timeoutMs): Promise<T> {
    return withResponseTimeout(this.#client, timeoutMs, answer, this.#clock);
  }

  #end(scope: string, claim: string, next: string): void {
    this.#run(END_SCRIPT, scope, [claim, next]).catch(() => {
      if (!this.#own.has(scope) && this.#unsent.size < MAX_UNSENT) this.#unsent.set(scope, [claim, next]);
    });
  }

  #reached(): void {
    this.#down = false;
    this.#renew();
    const unsent = [...this.#unsent];
    this.#unsent.clear();
    for (const [scope, [claim, next]] of unsent) this.#end(scope, claim, next);
  }

  #renew(): void {
    const expiration = { type: 'PX', value: LEASE_MS } as const;
    this.#client.set(PROCESS + this.#process, '1', { expiration }).catch(() => undefined);
  }
}
