import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import type { RequestInput } from '../request-input.ts';
import { ContentBudget } from './content-budget.ts';
import { ContentCapture, type CaptureOwner } from './content-capture.ts';
import type {
  ContentLog,
  ContentPolicies,
  ContentStore,
  FinishedContent,
  LoggableCall,
  LoggedCall,
  LoggedCapability,
} from './content-log.ts';
import { redactedContent } from './logged-document.ts';

export interface ContentQueueDependencies {
  readonly policies: ContentPolicies;
  readonly store: ContentStore;
  readonly log: { warn(fields: object, message: string): void };
  /** Whether an error may pass by itself, so that the same batch is stored later. */
  readonly isTemporary: (error: unknown) => boolean;
  readonly clock?: Clock;
  /** Bytes of all content in memory. */
  readonly maxBytes?: number;
}

/** With what is derived from it while it is stored, at most 64 MiB. */
const MAX_BYTES = 48 * 1024 * 1024;
/** How long the first content of a batch waits for others: each batch is a file per account. */
const GATHER_MS = 1_000;
const GATHER_BYTES = 1024 * 1024;
const BATCH_RECORDS = 500;
const BATCH_BYTES = 4 * 1024 * 1024;
/** Requests run between slices of this time. */
const SLICE_MS = 1;
const RETRY_MS = 1_000;
const MAX_FAILURES = 3;
/** Of content that was dropped: its rows say so. Beyond this, only the counter does. */
const MAX_MARKS = 50_000;

/**
 * Content between the requests and the store. Bounded: what has no room, or cannot be stored, is dropped and counted. Nothing of it
 * is on disk before it is redacted.
 */
export class ContentQueue implements ContentLog, CaptureOwner {
  readonly budget: ContentBudget;
  /** Counters of this process. */
  stored = 0;
  droppedCount = 0;
  readonly #dependencies: ContentQueueDependencies;
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #waiting = new Set<ContentCapture>();
  #waitingBytes = 0;
  #marks: FinishedContent[] = [];
  #timer: Timer | null = null;
  #writing: Promise<void> | null = null;
  #isClosed = false;
  #endPause: () => void = () => undefined;

  constructor(dependencies: ContentQueueDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    this.budget = new ContentBudget(dependencies.maxBytes ?? MAX_BYTES);
  }

  start(capability: LoggedCapability, call: LoggableCall, input: RequestInput): LoggedCall | null {
    const policy = this.#dependencies.policies.of(call);
    // A request that is collected has no response here: it is logged with its answer.
    if (policy === null || call.collect !== undefined || call.asOperator === true) return null;
    return new ContentCapture(this, capability, call, input, policy).observe(call.response);
  }

  finished(capture: ContentCapture): void {
    if (this.#isClosed) return this.#drop(capture);
    this.#waiting.add(capture);
    this.#waitingBytes += capture.size;
    if (this.#waitingBytes >= GATHER_BYTES) this.#write();
    else this.#timer ??= this.#clock.setTimeout(() => this.#write(), GATHER_MS).unref();
  }

  dropped(capture: ContentCapture): void {
    this.#drop(capture);
    this.#timer ??= this.#clock.setTimeout(() => this.#write(), GATHER_MS).unref();
  }

  /** @returns true once all content that is finished now is stored or dropped; false when the time has passed before */
  async flush(withinMs: number): Promise<boolean> {
    if (this.#waiting.size === 0 && this.#marks.length === 0 && this.#writing === null) return true;
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = this.#clock.setTimeout(() => resolve(false), withinMs).unref();
    const isFlushed = await Promise.race([this.#flush().then(() => true), late]);
    timer.cancel();
    return isFlushed;
  }

  /** Stores what is left; what takes longer is dropped. */
  async close(withinMs: number): Promise<void> {
    await this.flush(withinMs);
    this.#isClosed = true;
    this.#endPause();
    for (const capture of this.#waiting) this.#drop(capture);
    this.#waiting.clear();
  }

  async #flush(): Promise<void> {
    const last = [...this.#waiting].at(-1);
    do {
      this.#write();
      await this.#writing;
    } while (last !== undefined && this.#waiting.has(last));
  }

  #write(): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#waiting.size === 0 && this.#marks.length === 0) return;
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = null));
  }

  async #writeAll(): Promise<void> {
    while ((this.#waiting.size > 0 || this.#marks.length > 0) && !this.#isClosed) {
      const captures: ContentCapture[] = [];
      const batch = [...this.#marks.splice(0, BATCH_RECORDS), ...(await this.#prepare(captures))];
      await this.#store(batch, captures);
    }
  }

  /** @param captures receives those of the batch */
  async #prepare(captures: ContentCapture[]): Promise<FinishedContent[]> {
    const batch: FinishedContent[] = [];
    let bytes = 0;
    let sliceFrom = this.#clock.monotonic();
    for (const capture of this.#waiting) {
      this.#waiting.delete(capture);
      this.#waitingBytes -= capture.size;
      bytes += capture.size;
      try {
        const { eventId, accountId } = capture;
        const content = await redactedContent(capture);
        captures.push(capture);
        if (content !== null) batch.push({ eventId, accountId, content });
      } catch (err) {
        this.#drop(capture);
        this.#dependencies.log.warn({ err: nameOf(err), event: capture.eventId }, 'content could not be logged');
      }
      if (batch.length >= BATCH_RECORDS || bytes >= BATCH_BYTES) break;
      if (this.#clock.monotonic() - sliceFrom < SLICE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      sliceFrom = this.#clock.monotonic();
    }
    return batch;
  }

  async #store(batch: readonly FinishedContent[], captures: readonly ContentCapture[]): Promise<void> {
    for (let failures = 0; ;) {
      try {
        await this.#dependencies.store.store(batch);
        this.stored += captures.length;
        for (const capture of captures) capture.release();
        return;
      } catch (err) {
        // An outage of the database ends; other failures may be due to the content.
        if (!this.#dependencies.isTemporary(err)) failures++;
        this.#dependencies.log.warn({ err, records: batch.length }, 'storing content failed');
        if (failures >= MAX_FAILURES || this.#isClosed) break;
      }
      await this.#pause();
    }
    for (const capture of captures) this.#drop(capture);
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    const timer = this.#clock.setTimeout(resolve, RETRY_MS);
    await promise;
    timer.cancel();
  }

  #drop(capture: ContentCapture): void {
    capture.release();
    this.droppedCount++;
    const { eventId, accountId } = capture;
    if (this.#marks.length < MAX_MARKS) this.#marks.push({ eventId, accountId, content: null });
  }
}

/** The message of an error may contain content. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
