import { systemClock, type Clock } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import { setBounded } from '../bounded-map.ts';

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 15 * 60_000;
const RESET_AFTER_MS = 60 * 60_000;
const MAX_ENTRIES = 50_000;

/** Attempts that several processes count together. */
export interface SharedAttempts {
  /**
   * Counts an attempt, unless the subject has to wait.
   * @returns for how long, in ms; 0 if it was counted
   * @throws Error while the shared count is unavailable
   */
  attempt(
    subject: string,
    rule: {
      readonly free: number;
      readonly firstWaitMs: number;
      readonly maxWaitMs: number;
      readonly resetAfterMs: number;
    },
  ): Promise<number>;
  undo(subject: string): void;
  clear(subject: string): void;
}

interface Attempts {
  count: number;
  /** Of the clock's `monotonic`. */
  lastAt: number;
}

/** Slows down guessing. One per account limits guesses from many places; one per address limits guesses at many accounts. */
export class SignInThrottle {
  /** Attempts without a delay; each further one doubles it. */
  readonly #free: number;
  /** Ordered by the last attempt. */
  readonly #attempts = new Map<string, Attempts>();
  /** Subjects that are currently delayed: separate, so that others cannot evict them. */
  readonly #slowed = new Map<string, Attempts>();
  readonly #clock: Clock;
  readonly #shared: SharedAttempts | null;
  readonly #name: string;

  /** @param shared counts under this name; without it, and while it is unavailable, this process counts alone */
  constructor(free: number, clock: Clock = systemClock, shared: SharedAttempts | null = null, name = '') {
    this.#free = free;
    this.#clock = clock;
    this.#shared = shared;
    this.#name = name;
  }

  /**
   * Counts an attempt before it is made, so that concurrent attempts count too. Synchronous unless the count is shared.
   * @throws SluiceError too_many_attempts (also as the promise's rejection)
   */
  attempt(subject: string): void | Promise<void> {
    return this.#shared === null ? this.#attemptHere(subject) : this.#attemptShared(this.#shared, subject);
  }

  async #attemptShared(shared: SharedAttempts, subject: string): Promise<void> {
    const rule = {
      free: this.#free,
      firstWaitMs: FIRST_WAIT_MS,
      maxWaitMs: MAX_WAIT_MS,
      resetAfterMs: RESET_AFTER_MS,
    };
    const waitMs = await shared.attempt(this.#sharedName(subject), rule).catch(() => null);
    if (waitMs === null) this.#attemptHere(subject);
    else if (waitMs > 0) throw tooManyAttempts(waitMs);
  }

  #sharedName(subject: string): string {
    return `${this.#name} ${subject}`;
  }

  #attemptHere(subject: string): void {
    const now = this.#clock.monotonic();
    const attempts = this.#find(subject);
    const waitMs = attempts ? attempts.lastAt + this.#waitAfter(attempts.count) - now : 0;
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    this.#count(subject, now);
  }

  /** Clears the count after a successful attempt. */
  succeeded(subject: string): void {
    this.#shared?.clear(this.#sharedName(subject));
    this.#forget(subject);
  }

  #forget(subject: string): void {
    this.#attempts.delete(subject);
    this.#slowed.delete(subject);
  }

  /** Removes one attempt: it was successful, but implies nothing about others from the same place. */
  undoAttempt(subject: string): void {
    this.#shared?.undo(this.#sharedName(subject));
    const attempts = this.#find(subject);
    if (attempts) attempts.count = Math.max(0, attempts.count - 1);
  }

  #count(subject: string, now: number): void {
    const attempts = this.#find(subject);
    this.#forget(subject);
    const fresh = attempts === undefined || now - attempts.lastAt > RESET_AFTER_MS;
    const count = fresh ? 1 : attempts.count + 1;
    setBounded(count < this.#free ? this.#attempts : this.#slowed, MAX_ENTRIES, subject, { count, lastAt: now });
  }

  #find(subject: string): Attempts | undefined {
    return this.#slowed.get(subject) ?? this.#attempts.get(subject);
  }

  #waitAfter(attempts: number): number {
    return attempts < this.#free ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - this.#free));
  }
}

function tooManyAttempts(retryAfterMs: number): SluiceError {
  return new SluiceError('too_many_attempts', { retryAfterMs, values: { seconds: Math.ceil(retryAfterMs / 1_000) } });
}

/** Failed attempts, counted per account and per network. */
export interface SignInThrottles {
  readonly accounts: SignInThrottle;
  readonly addresses: SignInThrottle;
}
