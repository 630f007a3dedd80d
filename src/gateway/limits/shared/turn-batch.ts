import type { Clock, Timer } from '../../../calendar/clock.ts';
import { spenderOf } from '../budget.ts';
import type { LimitedKey } from '../limited-key.ts';
import type { LimitMessages, Operation, Question, Replies, WireCharges } from './operations.ts';
import { distribute, limitsUnavailable, rejectAll, type Waiting } from '../waiting-questions.ts';
import { encodeCost, encodeSpender } from './wire-form.ts';

/** How late the supervisor may learn of what no request waits for. */
const MAX_DELAY_MS = 200;
/** For a supervisor that does not respond. */
const MAX_REPLY_MS = 5_000;
/** How often one question is asked of a supervisor that does not respond. */
const PROBE_INTERVAL_MS = 1_000;

type Ask<Type> = Extract<Question, readonly [Type, ...unknown[]]>;

/** Questions in one message. */
interface Asked {
  readonly waiting: readonly Waiting[];
  /** By the clock's `monotonic`. */
  readonly at: number;
}

/**
 * Operations of a worker on limits: those of one turn of the event loop are one message. Where the supervisor does not reply in
 * time, questions fail; further ones fail at once until it replies to one that is asked every second.
 */
export class TurnBatch {
  readonly #messages: Pick<LimitMessages, 'request' | 'post'>;
  readonly #clock: Clock;
  #operations: Operation[] = [];
  #waiting: Waiting[] = [];
  /** Of operations that are not sent yet. */
  readonly #charges = new Map<LimitedKey, WireCharges[number][]>();
  #isScheduled = false;
  #timer: Timer | null = null;
  /** Messages with questions that must be answered in time, oldest first. */
  readonly #asked = new Set<Asked>();
  #hasDeadline = false;
  /** By the clock's `monotonic`. */
  #repliedAt = 0;
  /** Null for a supervisor that responds. */
  #nextProbeAt: number | null = null;

  constructor(messages: Pick<LimitMessages, 'request' | 'post'>, clock: Clock) {
    this.#messages = messages;
    this.#clock = clock;
  }

  add(operation: Operation): void {
    this.#operations.push(operation);
    this.#schedule();
  }

  /** Sent with the next message, or soon: the charges of a key are one operation of it. */
  chargeLazily(key: LimitedKey, costNano: bigint, at: number, ended: number): void {
    const cost = encodeCost(costNano);
    const others = this.#charges.get(key);
    if (others !== undefined) return void others.push(cost, at, ended);
    const charges = [cost, at, ended];
    this.#charges.set(key, charges);
    this.#operations.push(['charge', encodeSpender(spenderOf(key)), charges]);
    this.#timer ??= this.#clock.setTimeout(() => this.flush(), MAX_DELAY_MS).unref();
  }

  /**
   * @param onLate called with a reply that arrives after the promise was rejected
   * @throws SluiceError limits_unavailable, as the promise's rejection
   */
  ask<Type extends keyof Replies>(
    question: Ask<Type>,
    onLate?: (reply: Replies[Type]) => void,
  ): Promise<Replies[Type]> {
    if (this.#nextProbeAt !== null && !this.#mayProbe(this.#nextProbeAt)) return Promise.reject(limitsUnavailable());
    this.add(question);
    return new Promise((resolve, reject) => {
      let isRejected = false;
      const waiting: Pick<Waiting, 'reject'> & { resolve(reply: Replies[Type]): void } = {
        resolve: (reply) => (isRejected ? onLate?.(reply) : resolve(reply)),
        reject: (error) => {
          isRejected = true;
          reject(error);
        },
      };
      this.#waiting.push(waiting);
    });
  }

  /** Asks by a message of its own, after all others: its reply may take as long as it needs. */
  askApart<Type extends keyof Replies>(question: Ask<Type>): Promise<Replies[Type]> {
    this.flush();
    this.#operations.push(question);
    return new Promise((resolve, reject) => {
      const waiting: Pick<Waiting, 'reject'> & { resolve(reply: Replies[Type]): void } = { resolve, reject };
      this.#waiting.push(waiting);
      this.#send(false);
    });
  }

  flush(): void {
    this.#send(true);
  }

  /** @param isUrgent whether a request waits for the reply */
  #send(isUrgent: boolean): void {
    this.#isScheduled = false;
    this.#timer?.cancel();
    this.#timer = null;
    const operations = this.#operations;
    if (operations.length === 0) return;
    this.#operations = [];
    this.#charges.clear();
    const waiting = this.#waiting;
    if (waiting.length === 0) return this.#messages.post(operations);
    this.#waiting = [];
    const asked = { waiting, at: this.#clock.monotonic() };
    if (isUrgent) this.#expect(asked);
    this.#messages.request(operations).then(
      (replies) => {
        this.#replied(asked);
        distribute(replies, waiting);
      },
      (error: unknown) => {
        this.#replied(asked);
        rejectAll(waiting, error);
      },
    );
  }

  #replied(asked: Asked): void {
    this.#asked.delete(asked);
    this.#repliedAt = this.#clock.monotonic();
    this.#nextProbeAt = null;
  }

  #mayProbe(at: number): boolean {
    const now = this.#clock.monotonic();
    if (now < at) return false;
    this.#nextProbeAt = now + PROBE_INTERVAL_MS;
    return true;
  }

  #expect(asked: Asked): void {
    this.#asked.add(asked);
    if (!this.#hasDeadline) this.#setDeadline(MAX_REPLY_MS);
  }

  /** A process that was blocked first reads what arrived meanwhile. */
  #setDeadline(ms: number): void {
    this.#hasDeadline = true;
    this.#clock.setTimeout(() => setImmediate(rejectLate, this), ms).unref();
  }

  /** The timer is not started for each message, but for the oldest one without a reply. */
  rejectLate(): void {
    this.#hasDeadline = false;
    const now = this.#clock.monotonic();
    for (const asked of this.#asked) {
      const { waiting, at } = asked;
      const leftMs = at + MAX_REPLY_MS - now;
      if (leftMs > 0) {
        return this.#setDeadline(leftMs);
      }
      this.#asked.delete(asked);
      // It may respond to others: a reply waits for all workers to return what they were lent.
      if (this.#repliedAt < at) this.#nextProbeAt ??= now + PROBE_INTERVAL_MS;
      rejectAll(waiting, new Error('the supervisor does not respond'));
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(flushBatch, this);
  }
}

function flushBatch(batch: TurnBatch): void {
  batch.flush();
}

function rejectLate(batch: TurnBatch): void {
  batch.rejectLate();
}
