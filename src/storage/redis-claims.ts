import { randomBytes } from 'node:crypto';
import { systemClock, type Clock, type Timer } from '../calendar/clock.ts';
import { SluiceError } from '../errors/index.ts';
import type {
  AbandonedClaims,
  EndState,
  OtherClaim,
  SharedAnswer,
  SharedClaims,
  SharedState,
} from '../gateway/idempotency/shared-claims.ts';
import { RedisConnection } from './redis/redis-connection.ts';
import type { RedisStoreOptions } from './redis-options.ts';

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
const RETRY_MS = 500;
/** A server that starts again is connected, and refuses commands for seconds. */
const starting = /^(?:CLUSTERDOWN|LOADING) /;
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
export class RedisClaims implements SharedClaims, AbandonedClaims {
  readonly owner = randomBytes(12).toString('base64url');
  readonly #redis: RedisConnection;
  readonly #timer: Timer;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #answerTimeoutMs: number;
  /** Running claims of this process, by scope. */
  readonly #own = new Map<string, string>();
  /** Ends that Redis did not receive: they are sent when it is back. */
  readonly #unsent = new Map<string, readonly [claim: string, next: string]>();
  #number = 0;
  #retry: Timer | null = null;
  #down = false;

  constructor({ servers, log, timeoutMs, clock = systemClock }: RedisStoreOptions<Log>) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#answerTimeoutMs = timeoutMs ?? DEFAULT_ANSWER_TIMEOUT_MS;
    this.#redis = new RedisConnection({
      servers,
      timeoutMs,
      clock,
      onReady: () => {
        this.#down = false;
        this.#sendAgain();
      },
      onError: (err) => {
        if (!this.#down) log.warn({ err }, 'Redis is unavailable; requests with an Idempotency-Key are rejected');
        this.#down = true;
      },
    });
    this.#timer = clock.setInterval(() => this.#renew(), RENEW_MS).unref();
  }

  /** Waits for the first connection for at most the timeout of a command. */
  async open(): Promise<void> {
    await Promise.race([
      this.#redis.open(),
      new Promise<void>((resolve) => this.#clock.setTimeout(resolve, this.#timeoutMs).unref()),
    ]);
  }

  async claim(scope: string, fingerprint: string): Promise<OtherClaim | null> {
    const claim = `R ${this.owner}.${++this.#number} ${fingerprint}`;
    this.#own.set(scope, claim);
    this.#unsent.delete(scope);
    try {
      const found = await this.#sendClaim(scope, claim);
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

  ended(scope: string, state: Exclude<SharedState, 'running'>, answer: SharedAnswer | null): void {
    const claim = this.#own.get(scope);
    if (claim === undefined) return;
    this.#own.delete(scope);
    const next = marks[state] + claim.slice(1);
    if (answer === null) return this.#end(scope, claim, next);
    const end = (): void => this.#end(scope, claim, next);
    // The claim refers to it, in a cluster on another server.
    this.#redis.send(ANSWER + scope, ['SET', ANSWER + scope, answer.seal(), 'PX', String(RETENTION_MS)]).then(end, end);
  }

  async answer(scope: string): Promise<Buffer> {
    const options = { timeoutMs: this.#answerTimeoutMs, asBuffers: true };
    const found = await this.#redis.send(ANSWER + scope, ['GET', ANSWER + scope], options).catch((cause: unknown) => {
      // In a cluster it may be on another server than its claim.
      throw new SluiceError('idempotency_unavailable', { retryAfterMs: 1_000, cause });
    });
    if (!Buffer.isBuffer(found)) throw new Error('the stored response is no longer in Redis');
    return found;
  }

  async settle(owners: ReadonlySet<string>, scope: string, state: EndState, answer: Buffer | null): Promise<boolean> {
    const name = CLAIM + scope;
    const found = await this.#redis.send(name, ['GET', name], { timeoutMs: this.#timeoutMs });
    if (typeof found !== 'string' || !found.startsWith('R ')) return false;
    const owner = ownerOf(found);
    if (owner === this.owner || (!owners.has(owner) && (await this.#isAlive(owner)))) return false;
    if (answer !== null) {
      const options = { timeoutMs: this.#answerTimeoutMs };
      await this.#redis.send(ANSWER + scope, ['SET', ANSWER + scope, answer, 'PX', String(RETENTION_MS)], options);
    }
    return (await this.#run(END_SCRIPT, scope, [found, marks[state] + found.slice(1)])) === 1;
  }

  close(): void {
    this.#timer.cancel();
    this.#retry?.cancel();
    this.#redis.close(true);
  }

  async #other(found: string): Promise<OtherClaim> {
    const [mark = '', , fingerprint = ''] = found.split(' ');
    if (mark === 'K') return { state: 'kept', fingerprint };
    if (mark === 'N') return { state: 'not kept', fingerprint };
    if (mark !== 'R') return { state: 'interrupted', fingerprint };
    return { state: (await this.#isAlive(ownerOf(found))) ? 'running' : 'interrupted', fingerprint };
  }

  async #isAlive(owner: string): Promise<boolean> {
    const name = PROCESS + owner;
    return (await this.#redis.send(name, ['EXISTS', name], { timeoutMs: this.#timeoutMs })) === 1;
  }

  #sendClaim(scope: string, claim: string): Promise<unknown> {
    return this.#run(CLAIM_SCRIPT, scope, [`R ${this.owner}.`, claim, String(RETENTION_MS)]);
  }

  #run(script: string, scope: string, given: string[]): Promise<unknown> {
    const command = ['EVAL', script, '1', CLAIM + scope, ...given];
    return this.#redis.send(CLAIM + scope, command, { timeoutMs: this.#timeoutMs });
  }

  #end(scope: string, claim: string, next: string): void {
    this.#run(END_SCRIPT, scope, [claim, next]).catch((error: unknown) => {
      if (!this.#own.has(scope) && this.#unsent.size < MAX_UNSENT) this.#unsent.set(scope, [claim, next]);
      this.#retryAfter(error);
    });
  }

  #retryAfter(error: unknown): void {
    if (this.#retry !== null || !(error instanceof Error && starting.test(error.message))) return;
    this.#retry = this.#clock
      .setTimeout(() => {
        this.#retry = null;
        this.#sendAgain();
      }, RETRY_MS)
      .unref();
  }

  /** What a server may have lost, or has not received. */
  #sendAgain(): void {
    this.#renew();
    for (const [scope, claim] of this.#own)
      this.#sendClaim(scope, claim).catch((error: unknown) => this.#retryAfter(error));
    const unsent = [...this.#unsent];
    this.#unsent.clear();
    for (const [scope, [claim, next]] of unsent) this.#end(scope, claim, next);
  }

  #renew(): void {
    const name = PROCESS + this.owner;
    const renewed = this.#redis.send(name, ['SET', name, '1', 'PX', String(LEASE_MS)]);
    renewed.catch((error: unknown) => this.#retryAfter(error));
  }
}

/** The process of a claim. */
function ownerOf(claim: string): string {
  return claim.split(' ')[1]?.split('.')[0] ?? '';
}
