import type { Clock } from '../../calendar/clock.ts';
import type { ContentStore, FinishedContent, LateContent, RejectedContents } from './content-log.ts';
import { own, partOf, type Attempt } from './queue/store-attempt.ts';
import type { QueuedContent } from './queue/waiting-contents.ts';

export interface ContentWriterDependencies {
  readonly store: ContentStore;
  readonly log: { warn(fields: object, message: string): void };
  /** Whether an error may pass by itself, so that the same batch is stored later. */
  readonly isTemporary: (error: unknown) => boolean;
  readonly clock: Clock;
  readonly stored: (capture: QueuedContent) => void;
  readonly drop: (capture: QueuedContent) => void;
  /** Called when late content of an account is stored, or could not be: what was held back may be written. */
  readonly freed: (accountId: string) => void;
}

/** Content of an account that is still being stored. */
interface LateAttempt {
  readonly content: LateContent;
  /** Empty once it is abandoned. */
  captures: readonly QueuedContent[];
}

const RETRY_MS = 1_000;
const MAX_FAILURES = 3;
/** Of content that takes longer than that of others: it is in memory encrypted, too. All wait while there is more. */
const MAX_LATE_BYTES = 8 * 1024 * 1024;
/** How long all wait for it, before what is late for the longest time is dropped. */
const MAX_WAIT_MS = 10_000;

/**
 * Stores batches of content. What fails for an account is tried again by itself, and what takes longer than that of others is
 * awaited by itself, so that others wait for neither.
 */
export class ContentWriter {
  readonly #dependencies: ContentWriterDependencies;
  #retries: Attempt[] = [];
  /** By account. */
  readonly #late = new Map<string, LateAttempt>();
  #isClosed = false;
  #isIdle = false;
  #lateEnded: () => void = () => undefined;
  #endPause: () => void = () => undefined;

  constructor(dependencies: ContentWriterDependencies) {
    this.#dependencies = dependencies;
  }

  get hasRetries(): boolean {
    return this.#retries.length > 0;
  }

  /** Whether content of the account is still being stored: no other of it may be written. */
  isLate(accountId: string): boolean {
    return this.#late.has(accountId);
  }

  /** Resolves once a batch is stored or dropped, but for what is tried again or late. */
  async write(batch: readonly FinishedContent[], captures: readonly QueuedContent[]): Promise<void> {
    await this.#store({ batch, captures, failures: 0, dueAt: 0 });
    while (!this.#isClosed && this.#lateBytes() > MAX_LATE_BYTES) await this.#whenLessIsLate();
  }

  async writeDue(): Promise<void> {
    const now = this.#dependencies.clock.monotonic();
    const isDue = ({ dueAt, captures: [first] }: Attempt): boolean =>
      dueAt <= now && !this.isLate(first?.accountId ?? '');
    for (const attempt of this.#retries.filter(isDue)) {
      // Another one of its account may be late now, and all were dropped where the writer was closed.
      if (!isDue(attempt) || !this.#retries.includes(attempt)) continue;
      this.#retries = this.#retries.filter((each) => each !== attempt);
      await this.#store(attempt);
    }
  }

  /** Resolves when content may be due, or there is other content. */
  async whenDue(): Promise<void> {
    this.#isIdle = true;
    await this.#pause();
    this.#isIdle = false;
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    const timer = this.#dependencies.clock.setTimeout(resolve, RETRY_MS);
    await promise;
    timer.cancel();
  }

  /** There is other content to store. */
  wake(): void {
    if (this.#isIdle) this.#endPause();
  }

  close(): void {
    this.#isClosed = true;
    this.#endPause();
    this.#lateEnded();
    for (const late of this.#late.values()) this.#abandon(late);
    for (const { captures } of this.#retries.splice(0)) this.#drop(captures);
  }

  async #store(attempt: Attempt): Promise<void> {
    const { store, log } = this.#dependencies;
    const { batch } = attempt;
    for (let { failures } = attempt; ;) {
      try {
        const { failed, late, rejected } = await store.store(batch);
        const ended = attempt.captures.filter(({ accountId }) => !failed.has(accountId) && !late.has(accountId));
        this.#ended(ended, rejected);
        for (const [account, content] of late) void this.#follow(partOf(attempt, account, failures), account, content);
        for (const [account, err] of failed)
          this.#retry(partOf(attempt, account, failures + this.#weightOf(err)), account, err);
        return;
      } catch (err) {
        failures += this.#weightOf(err);
        log.warn({ err, records: batch.length }, 'storing content failed');
        if (failures >= MAX_FAILURES || this.#isClosed) break;
      }
      await this.#pause();
    }
    this.#drop(attempt.captures);
  }

  /** Never rejects. */
  async #follow(attempt: Attempt, account: string, content: LateContent): Promise<void> {
    const late: LateAttempt = { content, captures: attempt.captures };
    own(late.captures);
    this.#late.set(account, late);
    if (this.#isClosed) this.#abandon(late);
    try {
      const rejected = await content.stored;
      this.#ended(late.captures, rejected);
    } catch (err) {
      const failures = attempt.failures + this.#weightOf(err);
      if (late.captures.length > 0) this.#retry({ ...attempt, failures }, account, err);
    }
    this.#late.delete(account);
    this.#lateEnded();
    this.#dependencies.freed(account);
  }

  /** The account remains late until nothing is done for it any more, so that it occupies no more than one file. */
  #abandon(late: LateAttempt): void {
    const { captures, content } = late;
    late.captures = [];
    content.abandon();
    this.#drop(captures);
  }

  #lateBytes(): number {
    const captures = [...this.#late.values()].flatMap((late) => late.captures);
    return captures.reduce((sum, { size }) => sum + size, 0);
  }

  async #whenLessIsLate(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lateEnded = resolve;
    const timer = this.#dependencies.clock.setTimeout(() => {
      const oldest = [...this.#late.values()].find(({ captures }) => captures.length > 0);
      if (oldest !== undefined) this.#abandon(oldest);
      resolve();
    }, MAX_WAIT_MS);
    await promise;
    timer.cancel();
  }

  #retry(attempt: Attempt, account: string, err: unknown): void {
    const { log, clock } = this.#dependencies;
    const { batch, captures, failures } = attempt;
    log.warn({ err, account, records: batch.length }, 'storing the content of an account failed');
    if (failures >= MAX_FAILURES || this.#isClosed) return this.#drop(captures);
    own(captures);
    this.#retries.push({ ...attempt, dueAt: clock.monotonic() + RETRY_MS });
  }

  /** An outage of the database ends; other failures may be due to the content. */
  #weightOf(error: unknown): number {
    return this.#dependencies.isTemporary(error) ? 0 : 1;
  }

  #ended(captures: readonly QueuedContent[], rejected: RejectedContents): void {
    const { log, stored, drop } = this.#dependencies;
    for (const capture of captures) {
      const { eventId: event, accountId: account } = capture;
      if (!rejected.has(event)) stored(capture);
      else {
        log.warn({ err: rejected.get(event), account, event }, 'content cannot be stored and is dropped');
        drop(capture);
      }
    }
  }

  #drop(captures: readonly QueuedContent[]): void {
    for (const capture of captures) this.#dependencies.drop(capture);
  }
}
