import type { Clock } from '../../calendar/clock.ts';
import type { ContentStore, FinishedContent } from './content-log.ts';
import type { QueuedContent } from './queue/waiting-contents.ts';

export interface ContentWriterDependencies {
  readonly store: ContentStore;
  readonly log: { warn(fields: object, message: string): void };
  /** Whether an error may pass by itself, so that the same batch is stored later. */
  readonly isTemporary: (error: unknown) => boolean;
  readonly clock: Clock;
  readonly stored: (content: QueuedContent) => void;
  readonly drop: (content: QueuedContent) => void;
}

/** What is passed to the store together. */
interface Attempt {
  /** With marks of what was dropped before, which is not in the queue. */
  readonly batch: readonly FinishedContent[];
  readonly captures: readonly QueuedContent[];
  /** How often it failed. */
  readonly failures: number;
  /** By the monotonic clock, in milliseconds. */
  readonly dueAt: number;
}

const RETRY_MS = 1_000;
const MAX_FAILURES = 3;

/** Stores batches of content. What fails for an account is tried again by itself, so that others do not wait for it. */
export class ContentWriter {
  readonly #dependencies: ContentWriterDependencies;
  #retries: Attempt[] = [];
  #isClosed = false;
  #isIdle = false;
  #endPause: () => void = () => undefined;

  constructor(dependencies: ContentWriterDependencies) {
    this.#dependencies = dependencies;
  }

  get hasRetries(): boolean {
    return this.#retries.length > 0;
  }

  /** Resolves once a batch is stored or dropped, but for what is tried again. */
  write(batch: readonly FinishedContent[], captures: readonly QueuedContent[]): Promise<void> {
    return this.#store({ batch, captures, failures: 0, dueAt: 0 });
  }

  async writeDue(): Promise<void> {
    const now = this.#dependencies.clock.monotonic();
    const due = this.#retries.filter(({ dueAt }) => dueAt <= now);
    this.#retries = this.#retries.filter(({ dueAt }) => dueAt > now);
    for (const attempt of due) await this.#store(attempt);
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
    for (const { captures } of this.#retries.splice(0)) this.#drop(captures);
  }

  async #store(attempt: Attempt): Promise<void> {
    const { store, isTemporary, log, stored } = this.#dependencies;
    const { batch, captures } = attempt;
    for (let { failures } = attempt; ;) {
      try {
        const failed = await store.store(batch);
        for (const capture of captures) if (!failed.has(capture.accountId)) stored(capture);
        for (const [account, err] of failed) this.#retry(partOf(attempt, account, failures + 1), account, err);
        return;
      } catch (err) {
        // An outage of the database ends; other failures may be due to the content.
        if (!isTemporary(err)) failures++;
        log.warn({ err, records: batch.length }, 'storing content failed');
        if (failures >= MAX_FAILURES || this.#isClosed) break;
      }
      await this.#pause();
    }
    this.#drop(captures);
  }

  #retry(attempt: Attempt, account: string, err: unknown): void {
    const { log, clock } = this.#dependencies;
    const { batch, captures, failures } = attempt;
    log.warn({ err, account, records: batch.length }, 'storing the content of an account failed');
    if (failures >= MAX_FAILURES || this.#isClosed) return this.#drop(captures);
    this.#retries.push({ ...attempt, dueAt: clock.monotonic() + RETRY_MS });
  }

  #drop(captures: readonly QueuedContent[]): void {
    for (const capture of captures) this.#dependencies.drop(capture);
  }
}

/** The part of one account. */
function partOf({ batch, captures, dueAt }: Attempt, account: string, failures: number): Attempt {
  const isOfAccount = ({ accountId }: { readonly accountId: string }): boolean => accountId === account;
  return { batch: batch.filter(isOfAccount), captures: captures.filter(isOfAccount), failures, dueAt };
}
