import type { Clock, Timer } from '../../../calendar/clock.ts';
import { SluiceError } from '../../../errors/index.ts';
import type { LimitMessages, Operation, Question, Replies } from './operations.ts';

/** How late the supervisor may learn of what no request waits for. */
const MAX_DELAY_MS = 50;

type Ask<Type> = Extract<Question, readonly [Type, ...unknown[]]>;

interface Waiting {
  resolve(reply: unknown): void;
  reject(error: Error): void;
}

/** Operations of a worker on limits: those of one turn of the event loop are one message. */
export class TurnBatch {
  readonly #messages: Pick<LimitMessages, 'request' | 'post'>;
  readonly #clock: Clock;
  #operations: Operation[] = [];
  #waiting: Waiting[] = [];
  #isScheduled = false;
  #timer: Timer | null = null;

  constructor(messages: Pick<LimitMessages, 'request' | 'post'>, clock: Clock) {
    this.#messages = messages;
    this.#clock = clock;
  }

  add(operation: Operation): void {
    this.#operations.push(operation);
    this.#schedule();
  }

  /** Sent with the next message, or soon. */
  addLazily(operation: Operation): void {
    this.#operations.push(operation);
    this.#timer ??= this.#clock.setTimeout(() => this.flush(), MAX_DELAY_MS).unref();
  }

  /** @throws SluiceError limits_unavailable, as the promise's rejection */
  ask<Type extends keyof Replies>(question: Ask<Type>): Promise<Replies[Type]> {
    this.add(question);
    return new Promise((resolve, reject) => {
      const waiting: Pick<Waiting, 'reject'> & { resolve(reply: Replies[Type]): void } = { resolve, reject };
      this.#waiting.push(waiting);
    });
  }

  /** Asks by a message of its own, after all others: its reply may take long. */
  askApart<Type extends keyof Replies>(question: Ask<Type>): Promise<Replies[Type]> {
    this.flush();
    const reply = this.ask<Type>(question);
    this.flush();
    return reply;
  }

  flush(): void {
    this.#isScheduled = false;
    this.#timer?.cancel();
    this.#timer = null;
    const operations = this.#operations;
    if (operations.length === 0) return;
    this.#operations = [];
    const waiting = this.#waiting;
    if (waiting.length === 0) return this.#messages.post(operations);
    this.#waiting = [];
    this.#messages.request(operations).then(
      (replies) => distribute(replies, waiting),
      (error: unknown) => rejectAll(waiting, error),
    );
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(flushBatch, this);
  }
}

export function limitsUnavailable(cause?: unknown): SluiceError {
  return new SluiceError('limits_unavailable', { retryAfterMs: 1_000, cause });
}

function flushBatch(batch: TurnBatch): void {
  batch.flush();
}

function distribute(replies: readonly unknown[], waiting: readonly Waiting[]): void {
  for (const [index, { resolve, reject }] of waiting.entries()) {
    const reply = replies[index];
    if (isFailed(reply)) reject(limitsUnavailable());
    else resolve(reply);
  }
}

function rejectAll(waiting: readonly Waiting[], error: unknown): void {
  for (const { reject } of waiting) reject(limitsUnavailable(error));
}

function isFailed(reply: unknown): boolean {
  return typeof reply === 'object' && reply !== null && 'failed' in reply;
}
