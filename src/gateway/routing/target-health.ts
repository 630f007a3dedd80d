import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { FailureClass } from './failure-class.ts';
import { setBounded } from './set-bounded.ts';
import { RetryBudget } from './retry-budget.ts';

/** So many failures in a row open the breaker, or half of the last outcomes. */
const FAILURES_IN_A_ROW = 5;
const OUTCOMES_KEPT = 20;
const FIRST_COOL_DOWN_MS = 5_000;
const MAX_COOL_DOWN_MS = 60_000;
/** How many requests that fled from another target may try this one at once before it is known to work. */
const MAX_TRIALS = 3;
/** How much the newest measurement counts. */
const NEWEST = 0.2;
/** A measurement this old says nothing any more. */
const FORGOTTEN_AFTER_MS = 5 * 60_000;
/** One request finds out how fast a target is; the others need not all follow it. */
const EXPLORATION_MS = 10_000;
/** A provider that limits is left alone for a moment, whatever it says. */
const MIN_RATE_LIMIT_MS = 1_000;

/** `half-open`: its time to cool down is over, and one request may see whether it works again. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** Told whether a target worked for the trials that went before. */
export type TrialWaiter = (works: boolean) => void;

/** How one model at one connection has been doing: its circuit breaker and its measured speed. Fed by real traffic alone. */
export class TargetHealth {
  /** For requests that are to be tried here first, whatever name they use. */
  readonly budget = new RetryBudget();
  readonly #clock: Clock;
  #failuresInARow = 0;
  /** The last outcomes, one bit each, 1 for a failure. */
  #outcomes = 0;
  #outcomeCount = 0;
  #openUntil = 0;
  #coolDownMs = FIRST_COOL_DOWN_MS;
  #probing = false;
  #limitedUntil = 0;
  #worked = false;
  #trials = 0;
  #waiting: TrialWaiter[] = [];
  #firstTokenMs: number | null = null;
  #tokensPerSecond: number | null = null;
  #measuredAt = -Infinity;
  #exploredUntil = -Infinity;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  get breaker(): BreakerState {
    if (this.#openUntil === 0) return 'closed';
    return this.#clock.monotonic() < this.#openUntil || this.#probing ? 'open' : 'half-open';
  }

  /** Whether it is to be passed over while another can serve. */
  get avoided(): boolean {
    return this.breaker === 'open' || (this.#limitedUntil > 0 && this.#limitedUntil > this.#clock.monotonic());
  }

  /** When it may be worth trying again, in milliseconds from now; 0 for at once. */
  get availableInMs(): number {
    return Math.max(0, this.#openUntil - this.#clock.monotonic(), this.#limitedUntil - this.#clock.monotonic());
  }

  /** Smoothed time to the first token, in milliseconds; null where it is not known. */
  get firstTokenMs(): number | null {
    return this.#isFresh(this.#clock.monotonic()) ? this.#firstTokenMs : null;
  }

  /** Smoothed; null where it is not known. */
  get tokensPerSecond(): number | null {
    return this.#isFresh(this.#clock.monotonic()) ? this.#tokensPerSecond : null;
  }

  /** Whether somebody is finding out how fast it is. */
  get explored(): boolean {
    return this.#exploredUntil > this.#clock.monotonic();
  }

  /** A try begins. @returns whether it is the probe of a half-open breaker */
  begun(): boolean {
    if (this.#firstTokenMs === null) this.#exploredUntil = this.#clock.monotonic() + EXPLORATION_MS;
    if (this.#openUntil === 0 || this.breaker !== 'half-open') return false;
    this.#probing = true;
    return true;
  }

  /** It answers: whoever waits to know whether it works need not wait for the end. */
  answering(): void {
    this.#worked = true;
    if (this.#waiting.length > 0) this.#tellWaiting(true);
  }

  succeeded(): void {
    this.#failuresInARow = 0;
    this.#remember(0);
    this.#worked = true;
    if (this.#openUntil !== 0) this.#close();
    if (this.#waiting.length > 0) this.#tellWaiting(true);
  }

  failed(failure: FailureClass, retryAfterMs: number | undefined): void {
    // An answer that blames the request is a provider at work.
    if (failure === 'caller' || failure === 'context' || failure === 'missing') {
      this.succeeded();
      return;
    }
    this.#worked = false;
    // A limit is an answer: what is said of its breaker is over.
    if ((failure === 'limited' || failure === 'quota') && this.#openUntil !== 0) this.#close();
    if (failure === 'limited')
      this.#limitedUntil =
        this.#clock.monotonic() + Math.min(Math.max(retryAfterMs ?? 0, MIN_RATE_LIMIT_MS), MAX_COOL_DOWN_MS);
    // Money comes back when somebody pays, not by waiting a second.
    else if (failure === 'quota') this.#limitedUntil = this.#clock.monotonic() + MAX_COOL_DOWN_MS;
    else this.#countFailure(retryAfterMs ?? 0);
    // Other trials may still find it at work.
    if (this.#trials === 0 && this.#waiting.length > 0) this.#tellWaiting(false);
  }

  /** A try ended and says nothing of the target: its caller left. Where it was the last trial, the next in line finds out. */
  recordInconclusive(wasProbe: boolean): void {
    if (wasProbe) this.#probing = false;
    if (this.#trials === 0 && this.#waiting.length > 0) this.#tellWaiting(true);
  }

  /**
   * Asks to send a request here that failed elsewhere. A target that is known to work takes all; of one that is not, a few find
   * out first, so that a storm over all targets is not doubled.
   * @returns 'wait' where `waiter` will be told what the trials found
   */
  requestTrial(waiter: TrialWaiter): 'go' | 'trial' | 'wait' | 'no' {
    if (this.avoided) return 'no';
    if (this.#worked) return 'go';
    if (this.#trials >= MAX_TRIALS) {
      this.#waiting.push(waiter);
      return 'wait';
    }
    this.#trials++;
    return 'trial';
  }

  /** Comes before the outcome is told. */
  trialEnded(): void {
    this.#trials--;
  }

  measuredFirstToken(ms: number): void {
    const now = this.#clock.monotonic();
    this.#firstTokenMs = smooth(this.#isFresh(now) ? this.#firstTokenMs : null, ms);
    this.#measuredAt = now;
  }

  measuredThroughput(tokensPerSecond: number): void {
    const now = this.#clock.monotonic();
    this.#tokensPerSecond = smooth(this.#isFresh(now) ? this.#tokensPerSecond : null, tokensPerSecond);
    this.#measuredAt = now;
  }

  #isFresh(now: number): boolean {
    return now - this.#measuredAt < FORGOTTEN_AFTER_MS;
  }

  #countFailure(retryAfterMs: number): void {
    this.#failuresInARow++;
    this.#remember(1);
    if (this.#openUntil !== 0) {
      if (this.#probing) this.#coolDownMs = Math.min(MAX_COOL_DOWN_MS, this.#coolDownMs * 2);
      this.#open(retryAfterMs);
    } else if (this.#failuresInARow >= FAILURES_IN_A_ROW || this.#halfFailed) this.#open(retryAfterMs);
  }

  get #halfFailed(): boolean {
    if (this.#outcomeCount < OUTCOMES_KEPT) return false;
    let failures = 0;
    for (let rest = this.#outcomes; rest !== 0; rest &= rest - 1) failures++;
    return failures * 2 >= OUTCOMES_KEPT;
  }

  #remember(bit: 0 | 1): void {
    this.#outcomes = ((this.#outcomes << 1) | bit) & ((1 << OUTCOMES_KEPT) - 1);
    if (this.#outcomeCount < OUTCOMES_KEPT) this.#outcomeCount++;
  }

  #open(retryAfterMs: number): void {
    this.#probing = false;
    this.#openUntil = this.#clock.monotonic() + Math.min(MAX_COOL_DOWN_MS, Math.max(this.#coolDownMs, retryAfterMs));
  }

  #close(): void {
    this.#openUntil = 0;
    this.#coolDownMs = FIRST_COOL_DOWN_MS;
    this.#probing = false;
    this.#outcomes = 0;
    this.#outcomeCount = 0;
  }

  #tellWaiting(works: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiting) waiter(works);
  }
}

function smooth(before: number | null, now: number): number {
  return before === null ? now : before + NEWEST * (now - before);
}

/** The health of all targets, kept over changes of the configuration. */
export class HealthBook {
  readonly #byTarget = new Map<string, TargetHealth>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Undefined where it was never called. */
  known(connectionId: string, model: string): TargetHealth | undefined {
    return this.#byTarget.get(nameOf(connectionId, model));
  }

  of(connectionId: string, model: string): TargetHealth {
    const name = nameOf(connectionId, model);
    let health = this.#byTarget.get(name);
    if (health === undefined) {
      // Names are a caller's text where a provider knows models that no catalogue has.
      health = new TargetHealth(this.#clock);
      setBounded(this.#byTarget, MAX_TARGETS, name, health);
    }
    return health;
  }
}

function nameOf(connectionId: string, model: string): string {
  return `${connectionId}\n${model}`;
}

const MAX_TARGETS = 20_000;
