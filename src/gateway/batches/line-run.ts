import { type SluiceError, toSluiceError } from '../../errors/index.ts';
import type { EventIds } from '../event-id.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { Waiter } from './batch-lane.ts';
import type { BatchTurnDependencies } from './turn-dependencies.ts';
import type { BatchRequest, LeasedBatch, StoredLine } from './batch.ts';
import { CurrentKey } from './current-key.ts';
import { lineIds } from './line-identity.ts';
import type { LineRecorder } from './line-recorder.ts';
import { lineResult, type LineAnswer } from './line-result.ts';
import { openLine } from './open-line.ts';
import { isBudgetRefusal, waitBeforeRetry } from './retry-policy.ts';

/** A run that starts later than this is recorded under its own time. */
const MAX_AGE_MS = 60_000;

const STORE_RETRY_MS = 1_000;
const MAX_STORE_ATTEMPTS = 30;

/** What the event id of a run derives from. */
interface Attempt {
  readonly number: number;
  readonly beganAt: number;
  /** Whether it has not been sent yet, so that another one may replace it. */
  readonly isUnsent: boolean;
}

/** Runs the lines of one chunk. */
export class LineRun {
  readonly #dependencies: BatchTurnDependencies;
  readonly #batch: LeasedBatch;
  readonly #waiter: Waiter;
  readonly #recorder: LineRecorder;
  #running = 0;
  readonly #key: CurrentKey;

  constructor(dependencies: BatchTurnDependencies, batch: LeasedBatch, waiter: Waiter, recorder: LineRecorder) {
    this.#dependencies = dependencies;
    this.#batch = batch;
    this.#waiter = waiter;
    this.#recorder = recorder;
    this.#key = new CurrentKey(dependencies, batch);
  }

  /** @returns whether the line is done; else the turn is over */
  async run(line: number, request: BatchRequest, stored: StoredLine | undefined): Promise<boolean> {
    const { lane } = this.#dependencies;
    let attempt: Attempt = {
      number: stored?.attempt ?? 0,
      beganAt: stored?.beganAt ?? this.#batch.linesBeganAt,
      isUnsent: this.#batch.isFresh,
    };
    if (!attempt.isUnsent) {
      const unbilled = await this.#unbilled(line, attempt);
      if (unbilled === null) return false;
      attempt = unbilled;
    }
    for (let failures = 1; ; failures++) {
      const answered = await this.#runOnce(line, request, attempt);
      if (answered === null) return false;
      const { answer, ids, wasAlone } = answered;
      attempt = {
        ...answered.attempt,
        isUnsent: answer.type === 'failed' && !answer.wasSent && answered.attempt.isUnsent,
      };
      const wait = answer.type === 'answered' ? null : this.#waitAfter(answer.error, failures, wasAlone);
      if (wait === null) {
        const { protocol } = this.#batch;
        this.#recorder.add(
          lineResult({ protocol, line, customId: request.customId, requestId: ids.requestId }, answer),
        );
        return true;
      }
      if (answer.type === 'failed' && answer.wasSent) {
        const next = await this.#nextAttempt(line, attempt);
        if (next === null) return false;
        attempt = next;
      }
      await lane.pause(this.#waiter, wait);
    }
  }

  /**
   * The attempt to go on with after a crash. One that failed is recorded, and another run under its event would not be billed.
   * Null where the lease is lost.
   */
  async #unbilled(line: number, attempt: Attempt): Promise<Attempt | null> {
    const { eventId } = lineIds(this.#batch.id, line, attempt.number, attempt.beganAt);
    const hasFailed = await this.#dependencies.store.hasFailed(eventId, attempt.beganAt);
    return hasFailed ? this.#nextAttempt(line, attempt) : attempt;
  }

  /** Null where the turn is over. */
  async #runOnce(
    line: number,
    { body }: BatchRequest,
    before: Attempt,
  ): Promise<{ answer: LineAnswer; ids: EventIds; attempt: Attempt; wasAlone: boolean } | null> {
    const { lane, clock } = this.#dependencies;
    const { id, endpoint, beta } = this.#batch;
    let key: KeyRecord;
    try {
      key = await this.#key.get();
    } catch (thrown) {
      const answer = { type: 'failed', error: toSluiceError(thrown), wasSent: false } as const;
      return { answer, ids: lineIds(id, line, before.number, before.beganAt), attempt: before, wasAlone: true };
    }
    const leave = await lane.enter(this.#waiter, key);
    if (leave === null) return null;
    this.#running++;
    try {
      const isOld = before.isUnsent && clock.now() - before.beganAt > MAX_AGE_MS;
      const attempt = isOld ? await this.#nextAttempt(line, before) : before;
      if (attempt === null) return null;
      const ids = lineIds(id, line, attempt.number, attempt.beganAt);
      const call = {
        ...ids,
        key: await this.#key.get(),
        startedAt: clock.monotonic(),
        rerunBeganAt: attempt.beganAt,
        cacheMs: null,
        tags: null,
        watch: null,
      };
      const answer = await openLine(this.#dependencies, call, {
        endpoint,
        beta,
        body: Buffer.from(JSON.stringify(body)),
      });
      return { answer, ids, attempt, wasAlone: this.#running === 1 };
    } catch (thrown) {
      const answer = { type: 'failed', error: toSluiceError(thrown), wasSent: false } as const;
      return { answer, ids: lineIds(id, line, before.number, before.beganAt), attempt: before, wasAlone: true };
    } finally {
      this.#running--;
      leave();
    }
  }

  /** Null where the answer is final. What other lines have reserved may be free again once they end. */
  #waitAfter(error: SluiceError, failures: number, wasAlone: boolean): number | null {
    if (isBudgetRefusal(error) && !wasAlone) return 0;
    return waitBeforeRetry(error, failures);
  }

  /** Stores that the line runs as another event. Null where the lease is lost. @throws SluiceError database_unavailable */
  async #nextAttempt(line: number, { number }: Attempt): Promise<Attempt | null> {
    const { store, clock } = this.#dependencies;
    const next = { number: number + 1, beganAt: clock.now(), isUnsent: true };
    for (let tries = 1; ; tries++)
      try {
        return (await store.retry(this.#batch, line, next.number, next.beganAt)) ? next : null;
      } catch (error) {
        if (tries === MAX_STORE_ATTEMPTS) throw error;
        await new Promise<void>((resolve) => clock.setTimeout(resolve, STORE_RETRY_MS).unref());
      }
  }
}
