import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { RequestInput } from '../request-input.ts';
import { ContentBudget } from './content-budget.ts';
import { ContentCapture, type CaptureOwner } from './content-capture.ts';
import type { ContentLog, ContentPolicies, ContentStore, FinishedContent } from './content-log.ts';
import type { LoggableCall, LoggedCall, LoggedCapability } from './content-log.ts';
import { ContentWriter } from './content-writer.ts';
import { redactedContent } from './logged-document.ts';

export interface ContentQueueDependencies {
  readonly policies: ContentPolicies;
  readonly store: ContentStore;
  readonly log: { warn(fields: object, message: string): void };
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
  readonly #writer: ContentWriter;
  /** Oldest first. */
  readonly #waiting = new Set<ContentCapture>();
  #waitingBytes = 0;
  #marks: FinishedContent[] = [];
  #isGathering = false;
  #writing: Promise<void> | null = null;
  /** Requests that ended, whose responses may be without an end. */
  #settled: ContentCapture[] = [];
  #isClosed = false;

  constructor(dependencies: ContentQueueDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    this.#writer = new ContentWriter({
      ...dependencies,
      clock: this.#clock,
      stored: (capture) => {
        this.stored++;
        capture.release();
      },
      drop: (capture) => this.#drop(capture),
    });
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
    else this.#gather();
  }

  settled(capture: ContentCapture): void {
    this.#settled.push(capture);
    this.#gather();
  }

  dropped(capture: ContentCapture): void {
    this.#drop(capture);
    this.#gather();
  }

  /** @returns true once all content that is finished now is stored or dropped; false when the time has passed before */
  async flush(withinMs: number): Promise<boolean> {
    this.#finishSettled();
    if (!this.#isPending && this.#writing === null) return true;
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
    this.#writer.close();
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

  get #isPending(): boolean {
    return this.#waiting.size > 0 || this.#marks.length > 0 || this.#writer.hasRetries;
  }

  /** One timer for all requests. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const end = (): void => {
      this.#isGathering = false;
      this.#finishSettled();
      this.#write();
    };
    this.#clock.setTimeout(end, GATHER_MS).unref();
  }

  #write(): void {
    if (!this.#isPending) return;
    this.#writer.wake();
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = null));
  }

  /** The last bytes of a response follow in the turn of its settlement: what has none later was interrupted. */
  #finishSettled(): void {
    for (const capture of this.#settled.splice(0)) capture.finish(false);
  }

  async #writeAll(): Promise<void> {
    while (this.#isPending && !this.#isClosed) {
      await this.#writer.writeDue();
      if (this.#waiting.size > 0 || this.#marks.length > 0) {
        const captures: ContentCapture[] = [];
        const batch = [...this.#marks.splice(0, BATCH_RECORDS), ...(await this.#prepare(captures))];
        await this.#writer.write(batch, captures);
      } else if (this.#writer.hasRetries) await this.#writer.whenDue();
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
