import { systemClock, type Clock } from '../../../calendar/clock.ts';
import { commonNumber, type CommonMembers } from './common-members.ts';
import { JournalSegments, type JournalLog } from './journal-segments.ts';
import type { DurabilityWaiter } from './durability-waiter.ts';
import { JournalWriter } from './journal-writer.ts';
import type { LineKind, Segment } from './segment.ts';

/**
 * The append-only log of begin and settle records. All lines of one turn of the event loop are written by one `write`;
 * a line survives a kill of this process once its waiter is called. One process per folder.
 */
export class UsageJournal {
  readonly #log: JournalLog;
  readonly #segments: JournalSegments;
  readonly #writer: JournalWriter;
  #lines = '';
  #waiters: DurabilityWaiter[] = [];
  #scheduled = false;
  #open = 0;
  #onNextLine: (() => void) | null = null;

  constructor(folder: string, log: JournalLog, clock: Clock = systemClock) {
    this.#log = log;
    this.#segments = new JournalSegments(folder, log, clock);
    this.#writer = new JournalWriter(this.#segments, log, clock, () => this.flush());
  }

  /** The last write error; null while the journal can be written. */
  get failure(): Error | null {
    return this.#writer.failure;
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

  /** Bytes in memory. */
  get unwrittenBytes(): number {
    return this.#lines.length + this.#writer.unwrittenBytes;
  }

  /** Bytes not written or not drained yet. */
  get undrainedBytes(): number {
    return this.unwrittenBytes + this.#segments.undrainedBytes;
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
    this.#end('S', record, begunIn, waiter);
  }

  /**
   * Appends the current state of a settle record that changes until it is appended by `appendSettleRecord`: if the process
   * dies before, the last state is settled.
   * @param before the result of the last call for the same record; null for none
   * @returns the segment that it is in
   */
  checkpoint(record: string, before: Segment | null): Segment {
    const segment = this.#segments.current;
    segment.openBegins++;
    if (before === null) this.#open++;
    else before.openBegins--;
    this.#enqueue('B', record, null);
    return segment;
  }

  /** Revokes a begin record: its request was refused before a provider was sent anything, and has no record. */
  withdraw(eventId: string, begunIn: Segment, waiter: DurabilityWaiter | null): void {
    const { current } = this.#segments;
    if (begunIn !== current) current.revokesIn.add(begunIn);
    this.#end('W', `{"event_id":"${eventId}"}`, begunIn, waiter);
  }

  /** Appends a settle record without a begin of this process: a recovered or rejected request, or a deferred charge. */
  appendSettleWithoutBegin(record: string): void {
    this.#enqueue('S', record, null);
  }

  /** Calls a function when the next line is appended, once; it replaces an earlier one. */
  onNextLine(listener: () => void): void {
    this.#onNextLine = listener;
  }

  /** Starts a new segment, so that the current one can be removed once it is drained. */
  rotate(): void {
    this.flush();
    // Lines for the current segment must not be written to the next one.
    if (this.#isWritten && this.#segments.current.size > 0) this.#segments.startNext();
  }

  /**
   * Removes segments that are completely drained and have no open begin. A begin is retained until its settle is on
   * disk, and the line that revokes it as long as the begin: the database does not know that it was revoked.
   */
  removeDrained(): void {
    this.flush();
    if (this.#isWritten) this.#segments.removeDrained();
  }

  /** Writes pending lines. Scheduled at the end of each turn that appended. */
  flush(): void {
    this.#scheduled = false;
    if (this.#lines === '' && !this.#writer.hasUnwritten) return;
    const waiters = this.#waiters;
    const lines = this.#lines;
    this.#waiters = [];
    this.#lines = '';
    const error = this.#writer.write(lines);
    for (const waiter of waiters) this.#notify(waiter, error);
  }

  close(): void {
    this.flush();
    this.#writer.close();
    this.#segments.close();
  }

  get #isWritten(): boolean {
    return !this.#writer.hasUnwritten && this.#lines === '';
  }

  #end(kind: LineKind, record: string, begunIn: Segment, waiter: DurabilityWaiter | null): void {
    begunIn.openBegins--;
    this.#open--;
    this.#enqueue(kind, record, waiter);
  }

  #enqueue(kind: LineKind, record: string, waiter: DurabilityWaiter | null): void {
    this.#lines += kind + record + '\n';
    if (waiter) this.#waiters.push(waiter);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(flushJournal, this);
    const onNextLine = this.#onNextLine;
    if (onNextLine === null) return;
    this.#onNextLine = null;
    onNextLine();
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
}

function flushJournal(journal: UsageJournal): void {
  journal.flush();
}
