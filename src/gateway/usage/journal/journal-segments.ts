import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../calendar/clock.ts';
import { Segment } from './segment.ts';

const SEGMENT_BYTES = 8 * 1024 * 1024;

export interface JournalLog {
  error(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** The files of the usage journal, oldest first. */
export class JournalSegments {
  readonly folder: string;
  readonly all: Segment[] = [];
  /** The segment that lines are appended to. */
  current: Segment;
  /** Size of the current segment at which the next one starts. */
  rotateAtBytes = SEGMENT_BYTES;
  readonly #log: JournalLog;
  readonly #clock: Clock;
  #sequence = 0;
  #isFailing = false;

  constructor(folder: string, log: JournalLog, clock: Clock) {
    this.folder = folder;
    this.#log = log;
    this.#clock = clock;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const names = readdirSync(folder).filter((file) => /^\d{10}\.jsonl$/.test(file));
    for (const name of names.sort()) {
      this.all.push(new Segment(join(folder, name), clock.monotonic()));
      this.#sequence = Number.parseInt(name, 10);
    }
    this.current = this.#start();
  }

  get undrainedBytes(): number {
    return this.all.reduce((bytes, { size, drained }) => bytes + size - drained, 0);
  }

  /** Starts the next segment. If that fails, the current one stays in use. */
  startNext(): void {
    try {
      this.current = this.#start();
      this.rotateAtBytes = SEGMENT_BYTES;
      this.#isFailing = false;
    } catch (error) {
      this.rotateAtBytes = this.current.size + SEGMENT_BYTES;
      // An idle journal tries again several times a second.
      if (!this.#isFailing)
        this.#log.error({ err: error, folder: this.folder }, 'creation of a usage journal segment failed');
      this.#isFailing = true;
    }
  }

  /** Oldest first: a kill in between leaves no begin record without the line that revokes it. */
  removeDrained(): void {
    for (const segment of this.all.slice()) {
      if (this.#isNeeded(segment)) continue;
      segment.remove();
      this.all.splice(this.all.indexOf(segment), 1);
    }
  }

  close(): void {
    for (const segment of this.all) segment.close();
    this.all.length = 0;
  }

  #isNeeded(segment: Segment): boolean {
    if (segment === this.current || segment.drained < segment.size) return true;
    // No line refers to them any more.
    segment.commons.clear();
    return segment.openBegins > 0 || this.all.some((each) => segment.revokesIn.has(each));
  }

  #start(): Segment {
    this.#sequence++;
    const name = `${String(this.#sequence).padStart(10, '0')}.jsonl`;
    const segment = new Segment(join(this.folder, name), this.#clock.monotonic(), true);
    this.all.push(segment);
    return segment;
  }
}
