import { systemClock, type Clock, type Timer } from '../../../calendar/clock.ts';
import type { UsageSink } from '../usage-record.ts';
import { settledRows } from './journal-lines.ts';
import type { JournalLog } from './journal-segments.ts';
import type { Segment } from './segment.ts';
import type { UsageJournal } from './usage-journal.ts';

const INTERVAL_MS = 250;
const MAX_PAUSE_MS = 4_000;
/** Drained segments older than this are closed, so that an idle server does not drain them again at the next start. */
const ROTATE_AFTER_MS = 60_000;

export interface Draining {
  /** Number of concurrent batches. */
  readonly writers: number;
  readonly batchBytes: number;
}

export const drainingTo = {
  /** PostgreSQL stores one batch while it reads the next; larger batches share more members. */
  server: { writers: 2, batchBytes: 2 * 1024 * 1024 },
  /** The embedded database runs one query at a time, and others wait for it. */
  embedded: { writers: 1, batchBytes: 512 * 1024 },
} satisfies Record<string, Draining>;

interface Batch {
  readonly stored: Promise<void>;
  /** The end offset in its segment. */
  readonly end: number;
}

/** Copies settled records from the journal to the database in batches and retries until they are stored. */
export class JournalDrainer {
  readonly #journal: UsageJournal;
  readonly #sink: UsageSink;
  readonly #log: JournalLog;
  readonly #clock: Clock;
  /** One per concurrent batch, reused: allocating them each time would cost the data plane garbage collections. */
  readonly #scratches: readonly Buffer[];
  #timer: Timer | null = null;
  #running: Promise<void> | null = null;
  #pauseMs = INTERVAL_MS;
  #failing = false;
  #stopped = false;

  constructor(
    journal: UsageJournal,
    sink: UsageSink,
    log: JournalLog,
    draining: Draining = drainingTo.embedded,
    clock: Clock = systemClock,
  ) {
    const { writers, batchBytes } = draining;
    this.#scratches = Array.from({ length: writers }, () => Buffer.allocUnsafeSlow(batchBytes));
    this.#journal = journal;
    this.#sink = sink;
    this.#log = log;
    this.#clock = clock;
  }

  /** Whether the last attempt to reach the database failed. */
  get failing(): boolean {
    return this.#failing;
  }

  start(): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimeout(() => void this.#tick(), this.#pauseMs).unref();
  }

  /** Drains all that the journal contains at the call. @throws what the sink throws */
  async drain(): Promise<void> {
    while (this.#running) await this.#running.catch(() => undefined);
    this.#running = this.#drainAll();
    try {
      await this.#running;
    } finally {
      this.#running = null;
    }
  }

  /**
   * Stops after a last drain of at most `withinMs`. The rest stays in the journal for the next start.
   * @returns whether everything was drained
   */
  async stop(withinMs: number): Promise<boolean> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#journal.rotate();
    const deadline = new Promise<false>((resolve) => this.#clock.setTimeout(() => resolve(false), withinMs).unref());
    return Promise.race([
      this.drain().then(
        () => this.#journal.undrainedBytes === 0,
        () => false,
      ),
      deadline,
    ]);
  }

  async #tick(): Promise<void> {
    try {
      await this.drain();
      if (this.#failing) this.#log.info({}, 'storing usage works again');
      this.#failing = false;
      this.#pauseMs = INTERVAL_MS;
    } catch (error) {
      if (!this.#failing)
        this.#log.error(
          { err: error, undrainedBytes: this.#journal.undrainedBytes },
          'storing usage failed; it remains in the journal',
        );
      this.#failing = true;
      this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
    }
    if (!this.#stopped) this.#startNext();
  }

  /** An idle process does not wake to drain nothing: the next line does, or a segment that is to be closed. */
  #startNext(): void {
    const journal = this.#journal;
    if (this.#failing || journal.undrainedBytes > 0) return this.start();
    // Of a line that was appended and drained during this tick.
    this.#timer?.cancel();
    this.#timer = null;
    journal.onNextLine(() => {
      if (!this.#stopped) this.start();
    });
    const { size, openedAt } = journal.current;
    if (size === 0) return;
    const closesInMs = openedAt + ROTATE_AFTER_MS - this.#clock.monotonic();
    this.#timer = this.#clock.setTimeout(() => void this.#tick(), Math.max(INTERVAL_MS, closesInMs + 1)).unref();
  }

  async #drainAll(): Promise<void> {
    this.#journal.flush();
    const ends = this.#journal.segments.map((segment) => ({ segment, end: segment.size }));
    for (const { segment, end } of ends) {
      await this.#drainSegment(segment, end);
      // Segments of a long backlog are removed one by one, as each is stored.
      this.#journal.removeDrained();
    }
    const current = this.#journal.current;
    const old = this.#clock.monotonic() - current.openedAt > ROTATE_AFTER_MS;
    if (old && current.drained === current.size && current.openBegins === 0) this.#journal.rotate();
    this.#journal.removeDrained();
  }

  /**
   * Drains a segment to `end` or its last complete line. `drained` advances in order, whichever batch is stored first.
   */
  async #drainSegment(segment: Segment, end: number): Promise<void> {
    const underWay: Batch[] = [];
    let begun = 0;
    try {
      for (let at = segment.drained; ; begun++) {
        const [scratch] = this.#scratches.slice(begun % this.#scratches.length);
        if (underWay.length === this.#scratches.length) await this.#finish(segment, underWay);
        const lines = scratch !== undefined && at < end ? segment.readLines(at, scratch) : null;
        if (lines === null || lines.length === 0) break;
        at += lines.length;
        const settled = settledRows(lines, segment.commons);
        const stored = settled === null ? Promise.resolve() : this.#sink.store(settled.rows, settled.commons);
        // It may fail while an earlier batch is awaited; that must not be an unhandled rejection.
        stored.catch(() => undefined);
        underWay.push({ stored, end: at });
      }
      while (underWay.length > 0) await this.#finish(segment, underWay);
    } finally {
      // They read from the buffers that the next drain overwrites.
      await Promise.allSettled(underWay.map(({ stored }) => stored));
    }
  }

  async #finish(segment: Segment, underWay: Batch[]): Promise<void> {
    const batch = underWay.shift();
    if (batch === undefined) return;
    await batch.stored;
    segment.drained = batch.end;
  }
}
