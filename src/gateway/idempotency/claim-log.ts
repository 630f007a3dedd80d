import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../calendar/clock.ts';
import { Segment } from '../usage/journal/segment.ts';
import type { DurabilityWaiter } from '../usage/journal/durability-waiter.ts';

const SEGMENT_BYTES = 4 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;

/** `C`: claimed. `F`: released. `K`: ended, with a stored response. `N`: ended, without a stored response. */
export type ClaimMark = 'C' | 'F' | 'K' | 'N';

export interface ClaimLine {
  readonly mark: ClaimMark;
  readonly scope: string;
  readonly fields: readonly string[];
}

const LINE = /^([CFKN])([\w-]{43})((?: [\w-]+)*)$/;

/**
 * The append-only log of claims. All lines of one turn of the event loop are written by one `write`; a line survives a
 * kill of this process once its waiter is called. Files are removed once all of their claims are older than the
 * retention.
 */
export class ClaimLog {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #closed: { readonly segment: Segment; readonly closedAt: number }[] = [];
  #sequence = 0;
  #current: Segment;
  #lines = '';
  #waiters: DurabilityWaiter[] = [];
  #isScheduled = false;
  /** Whether the last write ended within a line. */
  #isTorn = false;

  /** @param visit called with each line of earlier processes, in order */
  constructor(folder: string, clock: Clock, visit: (line: ClaimLine) => void) {
    this.#folder = folder;
    this.#clock = clock;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const names = readdirSync(folder).filter((file) => /^\d{10}\.log$/.test(file));
    for (const name of names.sort()) {
      const segment = new Segment(join(folder, name), clock.monotonic());
      readSegment(segment, visit);
      this.#closed.push({ segment, closedAt: clock.monotonic() });
      this.#sequence = Number.parseInt(name, 10);
    }
    this.#current = this.#startSegment();
  }

  append(mark: ClaimMark, scope: string, fields: readonly string[], waiter: DurabilityWaiter | null): void {
    this.#lines += `${[mark + scope, ...fields].join(' ')}\n`;
    if (waiter) this.#waiters.push(waiter);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.flush());
  }

  flush(): void {
    this.#isScheduled = false;
    if (this.#lines === '') return;
    const waiters = this.#waiters;
    const bytes = Buffer.from(this.#isTorn ? `\n${this.#lines}` : this.#lines);
    this.#lines = '';
    this.#waiters = [];
    const failure = this.#write(bytes);
    for (const waiter of waiters)
      if (failure === null) waiter.onDurable();
      else waiter.onJournalFailure(failure);
  }

  /** Removes files whose claims are all older than `retentionMs`. */
  removeOlderThan(retentionMs: number): void {
    this.flush();
    const now = this.#clock.monotonic();
    if (this.#current.size > 0 && now - this.#current.openedAt >= retentionMs) this.#startNextSegment();
    while (this.#closed[0] && now - this.#closed[0].closedAt >= retentionMs) this.#closed.shift()?.segment.remove();
  }

  close(): void {
    this.flush();
    for (const { segment } of this.#closed) segment.close();
    this.#current.close();
  }

  #write(bytes: Buffer): Error | null {
    const before = this.#current.size;
    try {
      this.#current.append(bytes, bytes.length);
      const written = this.#current.size - before;
      this.#isTorn = written > 0 && written < bytes.length;
      if (written < bytes.length) return new Error('the disk is full');
      if (this.#current.size > SEGMENT_BYTES) this.#startNextSegment();
      return null;
    } catch (error) {
      this.#isTorn = this.#current.size > before || this.#isTorn;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #startNextSegment(): void {
    const segment = this.#current;
    this.#current = this.#startSegment();
    this.#closed.push({ segment, closedAt: this.#clock.monotonic() });
  }

  #startSegment(): Segment {
    this.#sequence++;
    return new Segment(join(this.#folder, `${String(this.#sequence).padStart(10, '0')}.log`), this.#clock.monotonic());
  }
}

function readSegment(segment: Segment, visit: (line: ClaimLine) => void): void {
  segment.dropUnfinishedLine();
  const scratch = Buffer.allocUnsafe(READ_BYTES);
  for (let at = 0; at < segment.size;) {
    const lines = segment.readLines(at, scratch);
    if (lines.length === 0) return;
    at += lines.length;
    for (const text of lines.toString('latin1').split('\n')) {
      const [, mark, scope, fields] = LINE.exec(text) ?? [];
      if (scope === undefined || fields === undefined || !isMark(mark)) continue;
      visit({ mark, scope, fields: fields === '' ? [] : fields.slice(1).split(' ') });
    }
  }
}

function isMark(text: string | undefined): text is ClaimMark {
  return text === 'C' || text === 'F' || text === 'K' || text === 'N';
}
