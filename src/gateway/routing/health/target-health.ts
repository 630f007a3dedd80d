import { systemClock, type Clock } from '../../../calendar/clock.ts';
import type { FailureClass } from './failure-class.ts';
import { RetryBudget } from './retry-budget.ts';
import { Trials, type TrialWaiter } from './trials.ts';

/** The breaker opens after so many consecutive failures, or when half of the last outcomes failed. */
const FAILURES_IN_A_ROW = 5;
const MAX_OUTCOMES = 20;
const FIRST_COOL_DOWN_MS = 5_000;
const MAX_COOL_DOWN_MS = 60_000;
/** Weight of the newest measurement. */
const NEWEST_WEIGHT = 0.2;
/** Older measurements are ignored. */
const MEASUREMENT_MAX_AGE_MS = 5 * 60_000;
/** Other requests do not follow an exploring one during this time. */
const EXPLORATION_MS = 10_000;
/** Minimum pause after a rate limit, whatever the provider requests. */
const MIN_RATE_LIMIT_MS = 1_000;

/** `half-open`: the cool-down is over, and one request may probe the target. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** The health of one model at one connection: its circuit breaker and measured speed. Fed by real traffic only. */
export class TargetHealth {
  /** For requests whose first target this is, under any name. */
  readonly retryBudget = new RetryBudget();
  readonly #clock: Clock;
  #failuresInARow = 0;
  /** The last outcomes as bits; 1 for a failure. */
  #outcomes = 0;
  #outcomeCount = 0;
  #openUntil = 0;
  #coolDownMs = FIRST_COOL_DOWN_MS;
  #isProbing = false;
  #limitedUntil = 0;
  #hasWorked = false;
  readonly #trials = new Trials();
  #firstTokenMs: number | null = null;
  #tokensPerSecond: number | null = null;
  #measuredAt = -Infinity;
  #exploredUntil = -Infinity;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  get breaker(): BreakerState {
    if (this.#openUntil === 0) return 'closed';
    return this.#clock.monotonic() < this.#openUntil || this.#isProbing ? 'open' : 'half-open';
  }

  /** Whether other targets are preferred. */
  get isAvoided(): boolean {
    return this.breaker === 'open' || (this.#limitedUntil > 0 && this.#limitedUntil > this.#clock.monotonic());
  }

  /** Milliseconds until it is available; 0 for now. */
  get availableInMs(): number {
    return Math.max(0, this.#openUntil - this.#clock.monotonic(), this.#limitedUntil - this.#clock.monotonic());
  }

  /** Smoothed time to the first token in milliseconds; null if not known. */
  get firstTokenMs(): number | null {
    return this.#isFresh(this.#clock.monotonic()) ? this.#firstTokenMs : null;
  }

  /** Smoothed; null if not known. */
  get tokensPerSecond(): number | null {
    return this.#isFresh(this.#clock.monotonic()) ? this.#tokensPerSecond : null;
  }

  /** Whether a request is measuring its speed. */
  get isExplored(): boolean {
    return this.#exploredUntil > this.#clock.monotonic();
  }

  /** Records the start of an attempt. @returns whether it is the probe of a half-open breaker */
  onAttemptStarted(): boolean {
    if (this.#firstTokenMs === null) this.#exploredUntil = this.#clock.monotonic() + EXPLORATION_MS;
    if (this.#openUntil === 0 || this.breaker !== 'half-open') return false;
    this.#isProbing = true;
    return true;
  }

  /** Records the first output: waiting requests need not wait for the end. */
  onAnswering(): void {
    this.#hasWorked = true;
    if (this.#trials.waiting.length > 0) this.#trials.notify(true);
  }

  recordSuccess(): void {
    this.#failuresInARow = 0;
    this.#addOutcome(0);
    this.#hasWorked = true;
    if (this.#openUntil !== 0) this.#close();
    if (this.#trials.waiting.length > 0) this.#trials.notify(true);
  }

  recordFailure(failure: Exclude<FailureClass, 'local'>, retryAfterMs: number | undefined): void {
    // A client error is a response of a working provider.
    if (failure === 'client' || failure === 'context' || failure === 'missing') {
      this.recordSuccess();
      return;
    }
    this.#hasWorked = false;
    // A rate limit is a response: the breaker closes.
    if ((failure === 'limited' || failure === 'quota') && this.#openUntil !== 0) this.#close();
    if (failure === 'limited')
      this.#limitedUntil =
        this.#clock.monotonic() + Math.min(Math.max(retryAfterMs ?? 0, MIN_RATE_LIMIT_MS), MAX_COOL_DOWN_MS);
    // A quota is not restored by waiting a second.
    else if (failure === 'quota') this.#limitedUntil = this.#clock.monotonic() + MAX_COOL_DOWN_MS;
    else this.#countFailure(retryAfterMs ?? 0);
    // Other trials may still succeed.
    if (this.#trials.running === 0) this.#trials.notify(false);
  }

  /**
   * Records an attempt without an outcome, such as a client disconnect. If it was the last trial, the next waiting
   * request becomes one.
   */
  recordInconclusive(wasProbe: boolean): void {
    if (wasProbe) this.#isProbing = false;
    if (this.#trials.running === 0) this.#trials.notify(true);
  }

  /**
   * Requests a trial for a request that failed elsewhere. A target that is known to work accepts all; another one gets
   * a few trials first, so that an outage of all targets does not double the load.
   * @returns 'wait' where `waiter` is called with the result of the trials
   */
  requestTrial(waiter: TrialWaiter): 'go' | 'trial' | 'wait' | 'no' {
    if (this.isAvoided) return 'no';
    return this.#hasWorked ? 'go' : this.#trials.request(waiter);
  }

  /** Called before the outcome is recorded. */
  endTrial(): void {
    this.#trials.end();
  }

  recordFirstToken(ms: number): void {
    const now = this.#clock.monotonic();
    this.#firstTokenMs = smooth(this.#isFresh(now) ? this.#firstTokenMs : null, ms);
    this.#measuredAt = now;
  }

  recordThroughput(tokensPerSecond: number): void {
    const now = this.#clock.monotonic();
    this.#tokensPerSecond = smooth(this.#isFresh(now) ? this.#tokensPerSecond : null, tokensPerSecond);
    this.#measuredAt = now;
  }

  #isFresh(now: number): boolean {
    return now - this.#measuredAt < MEASUREMENT_MAX_AGE_MS;
  }

  #countFailure(retryAfterMs: number): void {
    this.#failuresInARow++;
    this.#addOutcome(1);
    if (this.#openUntil !== 0) {
      if (this.#isProbing) this.#coolDownMs = Math.min(MAX_COOL_DOWN_MS, this.#coolDownMs * 2);
      this.#open(retryAfterMs);
    } else if (this.#failuresInARow >= FAILURES_IN_A_ROW || this.#hasHalfFailed) this.#open(retryAfterMs);
  }

  get #hasHalfFailed(): boolean {
    if (this.#outcomeCount < MAX_OUTCOMES) return false;
    let failures = 0;
    for (let rest = this.#outcomes; rest !== 0; rest &= rest - 1) failures++;
    return failures * 2 >= MAX_OUTCOMES;
  }

  #addOutcome(bit: 0 | 1): void {
    this.#outcomes = ((this.#outcomes << 1) | bit) & ((1 << MAX_OUTCOMES) - 1);
    if (this.#outcomeCount < MAX_OUTCOMES) this.#outcomeCount++;
  }

  #open(retryAfterMs: number): void {
    this.#isProbing = false;
    this.#openUntil = this.#clock.monotonic() + Math.min(MAX_COOL_DOWN_MS, Math.max(this.#coolDownMs, retryAfterMs));
  }

  #close(): void {
    this.#openUntil = 0;
    this.#coolDownMs = FIRST_COOL_DOWN_MS;
    this.#isProbing = false;
    this.#outcomes = 0;
    this.#outcomeCount = 0;
  }
}

function smooth(before: number | null, now: number): number {
  return before === null ? now : before + NEWEST_WEIGHT * (now - before);
}
