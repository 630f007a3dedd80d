import { systemClock, type Clock, type Timer } from '../../../calendar/clock.ts';
import { commonNumber, type CommonMembers } from './common-members.ts';
import { JournalSegments, type JournalLog } from './journal-segments.ts';
import type { LineKind, Segment } from './segment.ts';

/** Called when its line is on disk, before dependent output is sent. */
export interface DurabilityWaiter {
  onDurable(): void;
  /** The journal cannot be written. A begin must be rejected; a settle stays in memory and is written later. */
  onJournalFailure(error: Error): void;
}

const RETRY_MS = 1_000;
/** Holds the lines of a busy turn. */
const SCRATCH_BYTES = 256 * 1024;
/** UTF-8 bytes per UTF-16 code unit. */
const MAX_UTF8_BYTES_PER_UNIT = 3;

/**
 * The append-only log of begin and settle records. All lines of one turn of the event loop are written by one `write`;
 * a line survives a kill of this process once its waiter is called. One process per folder.
 */
export class UsageJournal {
  readonly #log: JournalLog;
  readonly #clock: Clock;
  readonly #segments: JournalSegments;
  #lines = '';
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #waiters: DurabilityWaiter[] = [];
  #scheduled = false;
  #unwritten: Buffer | null = null;
  #failure: Error | null = null;
  #retry: Timer | null = null;
  #open = 0;

  constructor(folder: string, log: JournalLog, clock: Clock = systemClock) {
    this.#log = log;
    this.#clock = clock;
    this.#segments = new JournalSegments(folder, log, clock);
  }

  /** The last write error; null while the journal can be written. */
  get failure(): Error | null {
    return this.#failure;
  }

  get segments(): readonly Segment[] {
    return this.#segments.all;
  }

  get current(): Segment {
    return this.#segments.current;
  }

  /** Requests that this process began and has not settled. */
  get open(): number {
    return this.#open;
  }

  /** Bytes not written or not drained yet. */
  get undrainedBytes(): number {
    return this.#lines.length + (this.#unwritten?.length ?? 0) + this.#segments.undrainedBytes;
  }

  /** Appends a begin record. @returns the segment to pass to `settle` */
  begin(record: string, waiter: DurabilityWaiter): Segment {
    const segment = this.#segments.current;
    segment.openBegins++;
    this.#open++;
    this.#enqueue('B', record, waiter);
    return segment;
  }

  /** The number by which lines of this turn refer to the members, which are written where the segment lacks them. */
  refer(members: CommonMembers): number {
    const segment = this.#segments.current;
    if (members.segment !== segment) {
      members.segment = segment;
      members.number = commonNumber(segment.commonsWritten++);
      this.#enqueue('C', `{"common":${members.number}${members.json}}`, null);
    }
    return members.number;
  }

  /** Appends a settle record; `begunIn` is the result of `begin`. */
  appendSettleRecord(record: string, begunIn: Segment, waiter: DurabilityWaiter | null): void {
    begunIn.openBegins--;
    this.#open--;
    this.#enqueue('S', record, waiter);
  }

  /** Appends a settle record without a begin of this process: a recovered or rejected request, or a deferred charge. */
  appendSettleWithoutBegin(record: string): void {
    this.#enqueue('S', record, null);
  }

  /** Starts a new segment, so that the current one can be removed once it is drained. */
  rotate(): void {
    this.flush();
    // Lines for the current segment must not be written to the next one.
    if (this.#isWritten && this.#segments.current.size > 0) this.#segments.startNext();
  }

  /**
   * Removes segments that are completely drained and have no open begin. A begin is retained until its settle is on
   * disk.
   */
  removeDrained(): void {
    this.flush();
    if (this.#isWritten) this.#segments.removeDrained();
  }

  /** Writes pending lines. Scheduled at the end of each turn that appended. */
  flush(): void {
    this.#scheduled = false;
    if (this.#lines === '' && this.#unwritten === null) return;
    const waiters = this.#waiters;
    const lines = this.#lines;
    this.#waiters = [];
    this.#lines = '';
    const error = this.#writeLines(lines);
    for (const waiter of waiters) this.#notify(waiter, error);
  }

  close(): void {
    this.flush();
    this.#retry?.cancel();
    this.#segments.close();
  }

  get #isWritten(): boolean {
    return this.#unwritten === null && this.#lines === '';
  }

  #enqueue(kind: LineKind, record: string, waiter: DurabilityWaiter | null): void {
    this.#lines += kind + record + '\n';
    if (waiter) this.#waiters.push(waiter);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(flushJournal, this);
  }

  /** An error of one request must not affect the others of its batch. */
  #notify(waiter: DurabilityWaiter, failure: Error | null): void {
    try {
      if (failure === null) waiter.onDurable();
      else waiter.onJournalFailure(failure);
    } catch (error) {
      this.#log.error({ err: error }, 'a request failed after its journal record was written');
    }
  }

  #writeLines(lines: string): Error | null {
    const unwritten = this.#unwritten;
    if (unwritten === null && lines.length * MAX_UTF8_BYTES_PER_UNIT <= this.#scratch.length)
      return this.#write(this.#scratch, this.#scratch.write(lines));
    const bytes = unwritten === null ? Buffer.from(lines) : Buffer.concat([unwritten, Buffer.from(lines)]);
    return this.#write(bytes, bytes.length);
  }

  #write(bytes: Buffer, length: number): Error | null {
    const segment = this.#segments.current;
    const sizeBefore = segment.size;
    let failure: Error | null = null;
    try {
      segment.append(bytes, length);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    const written = segment.size - sizeBefore;
    if (failure === null && written < length) failure = new Error('the disk is full');
    this.#unwritten = failure === null ? null : Buffer.from(bytes.subarray(written, length));
    if (failure) this.#onWriteFailure(failure);
    else {
      if (this.#failure) this.#log.info({}, 'writing the usage journal works again');
      this.#failure = null;
      if (segment.size > this.#segments.rotateAtBytes) this.#segments.startNext();
    }
    return failure;
  }

  #onWriteFailure(error: Error): void {
    if (this.#failure === null)
      this.#log.error(
        { err: error, folder: this.#segments.folder },
        'writing the usage journal failed; requests are rejected until it works',
      );
    this.#failure = error;
    this.#retry ??= this.#clock
      .setTimeout(() => {
        this.#retry = null;
        this.flush();
      }, RETRY_MS)
      .unref();
  }
}

function flushJournal(journal: UsageJournal): void {
  journal.flush();
}
