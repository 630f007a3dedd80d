import type { UsageSink } from '../usage-record.ts';
import { settledRowsJson } from './journal-lines.ts';
import type { JournalLog, UsageJournal } from './usage-journal.ts';

const BATCH_BYTES = 512 * 1024;
const INTERVAL_MS = 250;
const LONGEST_PAUSE_MS = 4_000;
/** A segment this old is closed when it is drained, so that a quiet server does not drain it again at the next start. */
const ROTATE_AFTER_MS = 60_000;

/** Carries settled records from the journal into the database, in order, in batches, again and again until they are stored. */
export class JournalDrainer {
  readonly #journal: UsageJournal;
  readonly #sink: UsageSink;
  readonly #log: JournalLog;
  /** One batch is under way at a time. A buffer for each would be collected at the data plane's cost. */
  readonly #scratch = Buffer.allocUnsafeSlow(BATCH_BYTES);
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #pauseMs = INTERVAL_MS;
  #failing = false;
  #stopped = false;

  constructor(journal: UsageJournal, sink: UsageSink, log: JournalLog) {
    this.#journal = journal;
    this.#sink = sink;
    this.#log = log;
  }

  /** Whether the last attempt to reach the database failed. */
  get failing(): boolean {
    return this.#failing;
  }

  start(): void {
    this.#timer = setTimeout(() => void this.#tick(), this.#pauseMs);
    this.#timer.unref();
  }

  /** Drains all that the journal holds now. @throws what the sink throws */
  async drain(): Promise<void> {
    while (this.#running) await this.#running.catch(() => undefined);
    this.#running = this.#drainAll();
    try {
      await this.#running;
    } finally {
      this.#running = null;
    }
  }

  /** Stops, after a last drain that takes at most `withinMs`. What is left stays in the journal for the next start. @returns whether all was drained */
  async stop(withinMs: number): Promise<boolean> {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#journal.rotate();
    const deadline = new Promise<false>((resolve) => setTimeout(resolve, withinMs, false).unref());
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
      if (this.#failing) this.#log.info({}, 'usage is stored again');
      this.#failing = false;
      this.#pauseMs = INTERVAL_MS;
    } catch (error) {
      if (!this.#failing)
        this.#log.error(
          { err: error, undrainedBytes: this.#journal.undrainedBytes },
          'usage cannot be stored now; it waits in the journal',
        );
      this.#failing = true;
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    }
    if (!this.#stopped) this.start();
  }

  async #drainAll(): Promise<void> {
    for (const segment of this.#journal.segments) {
      while (segment.drained < segment.size) {
        const lines = segment.readLines(segment.drained, this.#scratch);
        if (lines.length === 0) break;
        const rows = settledRowsJson(lines);
        if (rows !== null) await this.#sink.store(rows);
        segment.drained += lines.length;
      }
    }
    const current = this.#journal.current;
    const old = Date.now() - current.openedAt > ROTATE_AFTER_MS;
    if (old && current.drained === current.size && current.openBegins === 0) this.#journal.rotate();
    this.#journal.removeDrained();
  }
}
