import { toSluiceError, type SluiceError } from '../../errors/index.ts';
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
import { countsAsFailure, isBudgetRefusal, waitBeforeRetry, type FailedRun } from './retry-policy.ts';

/** A run that starts later than this is recorded under its own time. */
const MAX_AGE_MS = 60_000;

const STORE_RETRY_MS = 1_000;
const MAX_STORE_ATTEMPTS = 30;

/** What the event id of a run derives from. */
interface Attempt {
  readonly number: number;
  readonly beganAt: number;
  /** Runs of the line that have failed at the provider. */
  readonly failures: number;
  /** Whether it has not been sent yet, so that another one may replace it. */
  readonly isUnsent: boolean;
}

/** Why a line runs again, and when. */
interface Failure {
  readonly message: string;
  readonly retryAt: number;
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
    const { lane, clock } = this.#dependencies;
    let attempt: Attempt = {
      number: stored?.attempt ?? 0,
      beganAt: stored?.beganAt ?? this.#batch.linesBeganAt,
      failures: stored?.failures ?? 0,
      isUnsent: this.#batch.isFresh,
    };
    const retryAt = stored?.retryAt ?? null;
    if (retryAt !== null) await lane.pause(this.#waiter, retryAt - clock.now());
    if (!attempt.isUnsent) {
      const unbilled = await this.#unbilled(line, attempt);
      if (unbilled === null) return false;
      attempt = unbilled;
    }
    for (let waits = 0; ; waits++) {
      const answered = await this.#runOnce(line, request, attempt);
      if (answered === null) return false;
      const { answer, ids, wasAlone } = answered;
      const isCounted = answer.type === 'failed' && countsAsFailure(answer.error, answer.wasSent);
      attempt = {
        ...answered.attempt,
        failures: answered.attempt.failures + Number(isCounted),
        isUnsent: answer.type === 'failed' && !answer.wasSent && answered.attempt.isUnsent,
      };
      const { failures } = attempt;
      const wait = answer.type === 'answered' ? null : waitAfter({ ...answer, waits, failures }, wasAlone);
      if (answer.type === 'answered' || wait === null) {
        const { protocol } = this.#batch;
        const of = { protocol, line, customId: request.customId, requestId: ids.requestId };
        this.#recorder.add({ ...lineResult(of, answer), isUnsent: attempt.isUnsent });
        return true;
      }
      if (answer.wasSent || isCounted) {
        // Turns are shorter than these waits.
        const failure = { message: answer.error.message, retryAt: clock.now() + wait };
        const next = await this.#nextAttempt(line, attempt, failure);
        if (next === null) return false;
        attempt = next;
      }
      // Only shown: the line goes on without.
      await this.#dependencies.store.noteWait(this.#batch, waitCodeOf(answer.error)).catch(() => undefined);
      await lane.pause(this.#waiter, wait);
    }
  }

  /**
   * The attempt to go on with after a crash. One that failed is recorded, and another run under its event would not be billed.
   * Null where the lease is lost.
   */
  async #unbilled(line: number, attempt: Attempt): Promise<Attempt | null> {
    const { eventId } = lineIds(this.#batch.id, line, attempt.number, attempt.beganAt);
    const hasFailed = await this.#dependencies.store.hasFailed(this.#batch, eventId, attempt.beganAt);
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
        tags: this.#batch.tags ?? null,
        watch: null,
        batchId: id,
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

  /** Stores that the line runs as another event. Null where the lease is lost. @throws SluiceError database_unavailable */
  async #nextAttempt(
    line: number,
    { number, failures, isUnsent }: Attempt,
    failure: Failure | null = null,
  ): Promise<Attempt | null> {
    const { store, clock } = this.#dependencies;
    const next = { number: number + 1, beganAt: clock.now(), failures, isUnsent: true };
    const { beganAt } = next;
    const [retryAt, lastError] = [failure?.retryAt ?? null, failure?.message ?? null];
    const row = { line, attempt: next.number, beganAt, failures, retryAt, lastError, isUnsent };
    for (let tries = 1; ; tries++)
      try {
        return (await store.retry(this.#batch, row)) ? next : null;
      } catch (error) {
        if (tries === MAX_STORE_ATTEMPTS) throw error;
        await new Promise<void>((resolve) => clock.setTimeout(resolve, STORE_RETRY_MS).unref());
      }
  }
}

/** As clients know it. A provider's own code may be any text; a line waits for its limits only. */
function waitCodeOf({ upstream, wireCode, code }: SluiceError): string {
  return upstream === undefined ? (wireCode ?? code) : 'rate_limit_exceeded';
}

/** Null where the answer is final. What other lines have reserved may be free again once they end. */
function waitAfter(run: FailedRun, wasAlone: boolean): number | null {
  return isBudgetRefusal(run.error) && !wasAlone ? 0 : waitBeforeRetry(run);
}
