import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock, type Timer } from '../../../calendar/clock.ts';
import { commonNumber, type CommonMembers } from './common-members.ts';
import { Segment, type LineKind } from './segment.ts';

/** Called when its line is on disk, before dependent output is sent. */
export interface DurabilityWaiter {
  onDurable(): void;
  /** The journal cannot be written. A begin must be rejected; a settle stays in memory and is written later. */
  onJournalFailure(error: Error): void;
}

export interface JournalLog {
  error(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

const SEGMENT_BYTES = 8 * 1024 * 1024;
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
  readonly #folder: string;
  readonly #log: JournalLog;
  readonly #clock: Clock;
  readonly #segments: Segment[] = [];
  #sequence = 0;
  /** Size of the current segment at which the next one starts. */
  #rotateAtBytes = SEGMENT_BYTES;
  #current: Segment;
  #lines = '';
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #waiters: DurabilityWaiter[] = [];
  #scheduled = false;
  #unwritten: Buffer | null = null;
  #failure: Error | null = null;
  #retry: Timer | null = null;
  #open = 0;

  constructor(folder: string, log: JournalLog, clock: Clock = systemClock) {
    this.#folder = folder;
    this.#log = log;
    this.#clock = clock;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)
      .filter((file) => /^\d{10}\.jsonl$/.test(file))
      .sort()) {
      this.#segments.push(new Segment(join(folder, name), clock.monotonic()));
      this.#sequence = Number.parseInt(name, 10);
    }
    this.#current = this.#startSegment();
  }

  /** The last write error; null while the journal can be written. */
  get failure(): Error | null {
    return this.#failure;
  }

  get segments(): readonly Segment[] {
    return this.#segments;
  }

  get current(): Segment {
    return this.#current;
  }

  /** Requests that this process began and has not settled. */
  get open(): number {
    return this.#open;
  }

  /** Bytes not written or not drained yet. */
  get undrainedBytes(): number {
    let bytes = this.#lines.length + (this.#unwritten?.length ?? 0);
    for (const segment of this.#segments) bytes += segment.size - segment.drained;
    return bytes;
  }

  /** Appends a begin record. @returns the segment to pass to `settle` */
  begin(record: string, waiter: DurabilityWaiter): Segment {
    const segment = this.#current;
    segment.openBegins++;
    this.#open++;
    this.#enqueue('B', record, waiter);
    return segment;
  }

  /** The number by which lines of this turn refer to the members, which are written where the segment lacks them. */
  refer(members: CommonMembers): number {
    const segment = this.#current;
    if (members.segment !== segment) {
      members.segment = segment;
      members.number = commonNumber(segment.commonsWritten++);
      this.#enqueue('C', `{"common":${members.number}${members.json}}`, null);
    }
    return members.number;
  }

  /** Appends a settle record; `begunIn` is the result of `begin`. */
  settle(record: string, begunIn: Segment, waiter: DurabilityWaiter | null): void {
    begunIn.openBegins--;
    this.#open--;
    this.#enqueue('S', record, waiter);
  }

  /** Appends a settle record without a begin of this process: a recovered request, or a deferred charge. */
  appendSettled(record: string): void {
    this.#enqueue('S', record, null);
  }

  /** Appends the record of a rejected request. */
  settleRejected(record: string): void {
    this.#enqueue('S', record, null);
  }

  /** Starts a new segment, so that the current one can be removed once it is drained. */
  rotate(): void {
    this.flush();
    // Lines for the current segment must not be written to the next one.
    if (this.#isWritten && this.#current.size > 0) this.#startNextSegment();
  }

  /**
   * Removes segments that are completely drained and have no open begin. A begin is retained until its settle is on
   * disk.
   */
  removeDrained(): void {
    this.flush();
    if (!this.#isWritten) return;
    for (let index = this.#segments.length - 1; index >= 0; index--) {
      const segment = this.#segments[index];
      if (segment === undefined || segment === this.#current || segment.drained < segment.size) continue;
      // No line refers to them any more.
      segment.commons.clear();
      if (segment.openBegins > 0) continue;
      segment.remove();
      this.#segments.splice(index, 1);
    }
  }

  /** Writes pending lines. Scheduled at the end of each turn that appended. */
  flush(): void {
    this.#scheduled = false;
    if (this.#lines === '' && this.#unwritten === null) return;
    const waiters = this.#waiters;
    const lines = this.#lines;
    this.#waiters = [];
    this.#lines = '';
    const error = this.#unwritten === null ? this.#writeLines(lines) : this.#writeAfter(this.#unwritten, lines);
    for (const waiter of waiters) this.#notify(waiter, error);
  }

  close(): void {
    this.flush();
    this.#retry?.cancel();
    for (const segment of this.#segments) segment.close();
    this.#segments.length = 0;
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
    if (lines.length * MAX_UTF8_BYTES_PER_UNIT <= this.#scratch.length)
      return this.#write(this.#scratch, this.#scratch.write(lines));
    const bytes = Buffer.from(lines);
    return this.#write(bytes, bytes.length);
  }

  #writeAfter(unwritten: Buffer, lines: string): Error | null {
    const bytes = Buffer.concat([unwritten, Buffer.from(lines)]);
    return this.#write(bytes, bytes.length);
  }

  #write(bytes: Buffer, length: number): Error | null {
    const sizeBefore = this.#current.size;
    let failure: Error | null = null;
    try {
      this.#current.append(bytes, length);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    const written = this.#current.size - sizeBefore;
    if (failure === null && written < length) failure = new Error('the disk is full');
    this.#unwritten = failure === null ? null : Buffer.from(bytes.subarray(written, length));
    if (failure) this.#onWriteFailure(failure);
    else {
      if (this.#failure) this.#log.info({}, 'writing the usage journal works again');
      this.#failure = null;
      if (this.#current.size > this.#rotateAtBytes) this.#startNextSegment();
    }
    return failure;
  }

  /** Starts the next segment. If that fails, the current one stays in use. */
  #startNextSegment(): void {
    try {
      this.#current = this.#startSegment();
      this.#rotateAtBytes = SEGMENT_BYTES;
    } catch (error) {
      this.#rotateAtBytes = this.#current.size + SEGMENT_BYTES;
      this.#log.error({ err: error, folder: this.#folder }, 'creation of a usage journal segment failed');
    }
  }

  #onWriteFailure(error: Error): void {
    if (this.#failure === null)
      this.#log.error(
        { err: error, folder: this.#folder },
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

  #startSegment(): Segment {
    this.#sequence++;
    const segment = new Segment(
      join(this.#folder, `${String(this.#sequence).padStart(10, '0')}.jsonl`),
      this.#clock.monotonic(),
    );
    this.#segments.push(segment);
    return segment;
  }
}

function flushJournal(journal: UsageJournal): void {
  journal.flush();
}
