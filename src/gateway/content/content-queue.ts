import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { RequestInput } from '../request-input.ts';
import { ContentBudget } from './content-budget.ts';
import { ContentCapture, type CaptureOwner } from './content-capture.ts';
import type { ContentLog, LoggableCall, LoggedCall, LoggedCapability } from './content-log.ts';
import { ContentWriter } from './content-writer.ts';
import { ContentPacker } from './queue/packed-content.ts';
import type { ContentQueueDependencies } from './queue/queue-dependencies.ts';
import { redactBatch, type ContentBatch } from './queue/redact-batch.ts';
import { UnstoredContent } from './queue/unstored-content.ts';
import { WaitingContents, type QueuedContent } from './queue/waiting-contents.ts';

/** With what is derived from it while it is stored, at most 64 MiB. */
const MAX_BYTES = 48 * 1024 * 1024;
/** How long the first content of a batch waits for others: each batch is a file per account, and some statements. */
const GATHER_MS = 1_000;
const GATHER_BYTES = 2 * 1024 * 1024;
const BATCH_RECORDS = 2_000;
const BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Content between the requests and the store. Bounded: what has no room, or cannot be stored, is dropped, which the counter and the
 * log say. Nothing of it is on disk before it is redacted.
 */
export class ContentQueue implements ContentLog, CaptureOwner {
  readonly budget: ContentBudget;
  /** Counters of this process. */
  stored = 0;
  droppedCount = 0;
  readonly #dependencies: ContentQueueDependencies;
  readonly #clock: Clock;
  readonly #writer: ContentWriter;
  readonly #packer = new ContentPacker();
  readonly #waiting = new WaitingContents();
  readonly #unstored = new UnstoredContent();
  #isGathering = false;
  /** Whether what waits has gathered. */
  #isDue = false;
  #isWriting = false;
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
        // Dropped meanwhile, where the queue was closed.
        if (!this.#unstored.remove(content)) return;
        this.stored++;
        content.release();
      },
      drop: (content) => this.#dropUnstored(content),
      freed: (accountId) => this.#resume(accountId),
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
    // Its response ends in the turn of its settlement: the last is usually its own.
    if (this.#settled.at(-1) === capture) this.#settled.pop();
    if (this.#isClosed) return this.#drop(capture);
    const packed = this.#packer.pack(capture);
    // It waits to be stored: the socket's buffer is no longer needed.
    if (packed === null) capture.own();
    const content = packed ?? capture;
    this.#waiting.add(content);
    this.#unstored.add(content);
    if (this.#waiting.bytes >= GATHER_BYTES) this.#write();
    else this.#gather();
  }

  settled(capture: ContentCapture): void {
    if (this.#isClosed) return capture.finish(false);
    this.#settled.push(capture);
    this.#gather();
  }

  dropped(capture: ContentCapture): void {
    this.#drop(capture);
  }

  /**
   * @param accountId of whose content; of all where absent
   * @returns true once what is finished now is stored or dropped, and the log says so; false when the time has passed before
   */
  async flush(withinMs: number, accountId?: string): Promise<boolean> {
    this.#finishSettled();
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = this.#clock.setTimeout(() => resolve(false), withinMs).unref();
    const isFlushed = await Promise.race([this.#flush(accountId).catch(() => false), late]);
    timer.cancel();
    return isFlushed;
  }

  /** Stores what is left; what takes longer is dropped. */
  async close(withinMs: number): Promise<void> {
    await this.flush(withinMs);
    this.#isClosed = true;
    this.#writer.close();
    for (const content of this.#unstored.all()) this.#dropUnstored(content);
    this.#waiting.clear();
    this.#unstored.endTurn();
  }

  async #flush(accountId: string | undefined): Promise<true> {
    await this.#unstored.whenRemoved(accountId, () => this.#write());
    await this.#dependencies.drops.flush();
    return true;
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
    if (this.#waiting.isEmpty && !this.#writer.hasRetries) return;
    this.#isDue = true;
    this.#writer.wake();
    if (this.#isWriting) return;
    this.#isWriting = true;
    void this.#writeAll();
  }

  /** The last bytes of a response follow in the turn of its settlement: what has none later was interrupted. */
  #finishSettled(): void {
    for (const capture of this.#settled.splice(0)) capture.finish(false);
  }

  async #writeAll(): Promise<void> {
    try {
      while (!this.#isClosed && (this.#hasDue || this.#writer.hasRetries)) {
        await this.#writer.writeDue();
        if (this.#hasDue) {
          const { finished, contents } = await this.#redactNext();
          if (finished.length > 0) await this.#writer.write(finished, contents);
        } else if (this.#writer.hasRetries) await this.#writer.whenDue();
        this.#unstored.endTurn();
      }
    } finally {
      // In the same step as the last look at what is due: what comes later starts another run.
      this.#isWriting = false;
    }
  }

  /** What comes while a batch is stored gathers, too. */
  get #hasDue(): boolean {
    return this.#isDue && !this.#waiting.isEmpty;
  }

  /** Nothing of the account is being stored any more. */
  #resume(accountId: string): void {
    this.#waiting.resume(accountId);
    this.#write();
    this.#unstored.endTurn();
  }

  async #redactNext(): Promise<ContentBatch> {
    const taken = this.#waiting.take(BATCH_RECORDS, BATCH_BYTES, (accountId) => this.#writer.isLate(accountId));
    this.#isDue = !this.#waiting.isEmpty;
    return redactBatch(taken, {
      clock: this.#clock,
      log: this.#dependencies.log,
      isClosed: () => this.#isClosed,
      drop: (content) => this.#dropUnstored(content),
    });
  }

  #dropUnstored(content: QueuedContent): void {
    if (this.#unstored.remove(content)) this.#drop(content);
  }

  #drop(content: QueuedContent): void {
    content.release();
    this.droppedCount++;
    this.#dependencies.drops.add(content.eventId, content.accountId);
  }
}
