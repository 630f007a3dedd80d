import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { RequestInput } from '../request-input.ts';
import { ContentBudget } from './content-budget.ts';
import { ContentCapture, type CaptureOwner } from './content-capture.ts';
import type { ContentLog, ContentPolicies, ContentStore, FinishedContent } from './content-log.ts';
import type { LoggableCall, LoggedCall, LoggedCapability } from './content-log.ts';
import { ContentWriter } from './content-writer.ts';
import { ContentPacker } from './queue/packed-content.ts';
import { redactBatch, type ContentBatch } from './queue/redact-batch.ts';
import { WaitingContents, type QueuedContent } from './queue/waiting-contents.ts';

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
/** How long the first content of a batch waits for others: each batch is a file per account, and some statements. */
const GATHER_MS = 1_000;
const GATHER_BYTES = 2 * 1024 * 1024;
const BATCH_RECORDS = 2_000;
const BATCH_BYTES = 4 * 1024 * 1024;
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
  readonly #packer: ContentPacker;
  readonly #waiting = new WaitingContents();
  #marks: FinishedContent[] = [];
  #isGathering = false;
  /** Whether what waits has gathered. */
  #isDue = false;
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
      stored: (content) => {
        this.stored++;
        content.release();
      },
      drop: (content) => this.#drop(content),
    });
    this.budget = new ContentBudget(dependencies.maxBytes ?? MAX_BYTES);
    this.#packer = new ContentPacker(this.budget);
  }

  start(capability: LoggedCapability, call: LoggableCall, input: RequestInput): LoggedCall | null {
    const policy = this.#dependencies.policies.of(call);
    // A request that is collected has no response here: it is logged with its answer.
    if (policy === null || call.collect !== undefined || call.asOperator === true) return null;
    return new ContentCapture(this, capability, call, input, policy).observe(call.response);
  }

  finished(capture: ContentCapture): void {
    // Its response ends in the turn of its settlement: the last is usually its own.
    if (this.#settled.at(-1) === capture) this.#settled.pop();
    if (this.#isClosed) return this.#drop(capture);
    this.#waiting.add(this.#packer.pack(capture) ?? capture.owned());
    if (this.#waiting.bytes >= GATHER_BYTES) this.#write();
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
    for (const content of this.#waiting.take()) this.#drop(content);
  }

  async #flush(): Promise<void> {
    const { addedCount } = this.#waiting;
    do {
      this.#write();
      await this.#writing;
    } while (this.#waiting.takenCount < addedCount);
  }

  get #isPending(): boolean {
    return !this.#waiting.isEmpty || this.#marks.length > 0 || this.#writer.hasRetries;
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
    this.#isDue = true;
    this.#writer.wake();
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = null));
  }

  /** The last bytes of a response follow in the turn of its settlement: what has none later was interrupted. */
  #finishSettled(): void {
    for (const capture of this.#settled.splice(0)) capture.finish(false);
  }

  async #writeAll(): Promise<void> {
    while (!this.#isClosed && (this.#hasDue || this.#writer.hasRetries)) {
      await this.#writer.writeDue();
      if (this.#hasDue) {
        const marks = this.#marks.splice(0, BATCH_RECORDS);
        const { finished, contents } = await this.#redactNext();
        await this.#writer.write([...marks, ...finished], contents);
      } else if (this.#writer.hasRetries) await this.#writer.whenDue();
    }
  }

  /** What comes while a batch is stored gathers, too. */
  get #hasDue(): boolean {
    return this.#marks.length > 0 || (this.#isDue && !this.#waiting.isEmpty);
  }

  async #redactNext(): Promise<ContentBatch> {
    const taken = this.#waiting.take(BATCH_RECORDS, BATCH_BYTES);
    this.#isDue = !this.#waiting.isEmpty;
    const { log } = this.#dependencies;
    return redactBatch(taken, {
      clock: this.#clock,
      log,
      isClosed: () => this.#isClosed,
      drop: (content) => this.#drop(content),
    });
  }

  #drop(content: QueuedContent): void {
    content.release();
    this.droppedCount++;
    const { eventId, accountId } = content;
    if (this.#marks.length < MAX_MARKS) this.#marks.push({ eventId, accountId, content: null });
  }
}
