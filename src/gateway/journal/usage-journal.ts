import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { commonNumber, type CommonMembers } from './common-members.ts';
import { Segment, type LineKind } from './segment.ts';

/** Told when its line is on disk, so that what depends on it may go out. */
export interface DurabilityWaiter {
  onDurable(): void;
  /** The disk takes nothing more. A begin must be refused; a settle is kept in memory and written later. */
  onJournalFailure(error: Error): void;
}

export interface JournalLog {
  error(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

const SEGMENT_BYTES = 8 * 1024 * 1024;
const RETRY_MS = 1_000;
/** The lines of a busy turn. */
const SCRATCH_BYTES = 256 * 1024;
/** Bytes of a UTF-16 unit in UTF-8. */
const UTF8_MOST = 3;

/**
 * The append-only record of what began and how it was settled. All lines of one event-loop turn are written by one
 * `write`; a line survives a kill of this process once its waiter is told. One process per folder.
 */
export class UsageJournal {
  readonly #folder: string;
  readonly #log: JournalLog;
  readonly #clock: Clock;
  readonly #segments: Segment[] = [];
  #sequence = 0;
  /** Of the present segment's bytes. */
  #turnAt = SEGMENT_BYTES;
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

  /** Null while all is well; else why nothing can be recorded. */
  get failure(): Error | null {
    return this.#failure;
  }

  get segments(): readonly Segment[] {
    return this.#segments;
  }

  get current(): Segment {
    return this.#current;
  }

  /** Requests begun by this process and not settled. */
  get open(): number {
    return this.#open;
  }

  /** Bytes that wait to be written or drained. */
  get undrainedBytes(): number {
    let bytes = this.#lines.length + (this.#unwritten?.length ?? 0);
    for (const segment of this.#segments) bytes += segment.size - segment.drained;
    return bytes;
  }

  /** Records a begin. The segment returned goes to `settle` with the same request. */
  begin(record: string, waiter: DurabilityWaiter): Segment {
    const segment = this.#current;
    segment.openBegins++;
    this.#open++;
    this.#enqueue('B', record, waiter);
    return segment;
  }

  /** The number by which a line of this turn refers to members; they are said where the segment does not know them. */
  refer(members: CommonMembers): number {
    const segment = this.#current;
    if (members.segment !== segment) {
      members.segment = segment;
      members.number = commonNumber(segment.commonsWritten++);
      this.#enqueue('C', `{"common":${members.number}${members.json}}`, null);
    }
    return members.number;
  }

  /** Records a settle; `begunIn` is what `begin` returned. */
  settle(record: string, begunIn: Segment, waiter: DurabilityWaiter | null): void {
    begunIn.openBegins--;
    this.#open--;
    this.#enqueue('S', record, waiter);
  }

  /** Records a settle whose begin stands in a segment of a process that died. */
  appendSettled(record: string): void {
    this.#enqueue('S', record, null);
  }

  /** Records a request that ended before it began. */
  settleRejected(record: string): void {
    this.#enqueue('S', record, null);
  }

  /** Starts a new segment, so that the present one can be removed once it is drained. */
  rotate(): void {
    this.flush();
    // What was said to be in the present segment must not be written to another.
    if (this.#isWritten && this.#current.size > 0) this.#turn();
  }

  /** Removes segments that are drained to the end and hold no open begin. A begin is kept until its settle is on disk. */
  removeDrained(): void {
    this.flush();
    if (!this.#isWritten) return;
    for (let index = this.#segments.length - 1; index >= 0; index--) {
      const segment = this.#segments[index];
      if (segment === undefined || segment === this.#current || segment.drained < segment.size) continue;
      // Nothing refers to them any more but, as long as it is known, what says in which segment it was said.
      segment.commons.clear();
      if (segment.openBegins > 0) continue;
      segment.remove();
      this.#segments.splice(index, 1);
    }
  }

  /** Writes what waits. Called by itself at the end of each turn that appended. */
  flush(): void {
    this.#scheduled = false;
    if (this.#lines === '' && this.#unwritten === null) return;
    const waiters = this.#waiters;
    const lines = this.#lines;
    this.#waiters = [];
    this.#lines = '';
    const error = this.#unwritten === null ? this.#writeLines(lines) : this.#writeAfter(this.#unwritten, lines);
    for (const waiter of waiters) this.#tell(waiter, error);
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

  /** A fault of one request must not be that of all whose records were written with its own. */
  #tell(waiter: DurabilityWaiter, failure: Error | null): void {
    try {
      if (failure === null) waiter.onDurable();
      else waiter.onJournalFailure(failure);
    } catch (error) {
      this.#log.error({ err: error }, 'a request failed when its record was written');
    }
  }

  #writeLines(lines: string): Error | null {
    if (lines.length * UTF8_MOST <= this.#scratch.length) return this.#write(this.#scratch, this.#scratch.write(lines));
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
    if (failure === null && written < length) failure = new Error('the disk takes no more');
    this.#unwritten = failure === null ? null : Buffer.from(bytes.subarray(written, length));
    if (failure) this.#onWriteFailure(failure);
    else {
      if (this.#failure) this.#log.info({}, 'the usage journal can be written again');
      this.#failure = null;
      if (this.#current.size > this.#turnAt) this.#turn();
    }
    return failure;
  }

  /** To a new segment. Where none can be made, the present one serves on: what was written is written. */
  #turn(): void {
    try {
      this.#current = this.#startSegment();
      this.#turnAt = SEGMENT_BYTES;
    } catch (error) {
      this.#turnAt = this.#current.size + SEGMENT_BYTES;
      this.#log.error({ err: error, folder: this.#folder }, 'no further file can be made for the usage journal');
    }
  }

  #onWriteFailure(error: Error): void {
    if (this.#failure === null)
      this.#log.error(
        { err: error, folder: this.#folder },
        'the usage journal cannot be written: requests are refused until it can',
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
