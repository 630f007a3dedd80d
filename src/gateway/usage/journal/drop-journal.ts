import { systemClock, type Clock } from '../../../calendar/clock.ts';
import { JournalDrainer, type Draining } from './drainer.ts';
import type { JournalLog } from './journal-segments.ts';
import { recoverUnsettled } from './recover-unsettled.ts';
import { UsageJournal } from './usage-journal.ts';

export interface DropJournalDependencies {
  readonly folder: string;
  readonly store: DroppedStore;
  readonly log: JournalLog;
  readonly clock?: Clock;
}

/** Stores which content was dropped. */
export interface DroppedStore {
  /** Idempotent by event. @param rows a JSON array of `event_id` and `account_id` @throws when nothing was stored */
  store(rows: Buffer): Promise<void>;
}

/** Some hundred records: one statement at a time, so that a mass of them does not occupy the database. */
const draining: Draining = { writers: 1, batchBytes: 64 * 1024 };
/** While the journal cannot be written; some 10,000 records. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;

/**
 * Which content was dropped: a journal like that of usage, which is drained to the database. So the log says so after an outage of
 * the database and after a kill of this process.
 */
export class DropJournal {
  /** Records of this process that were lost, because the journal could not be written. */
  lostCount = 0;
  readonly #journal: UsageJournal;
  readonly #drainer: JournalDrainer;
  #isClosed = false;

  constructor({ folder, store, log, clock = systemClock }: DropJournalDependencies) {
    const own: JournalLog = {
      error: (fields) => log.error({ ...fields, folder }, 'the journal of dropped content failed; it is tried again'),
      info: () => log.info({ folder }, 'the journal of dropped content works again'),
    };
    this.#journal = new UsageJournal(folder, own, clock);
    recoverUnsettled(this.#journal, (row, err) =>
      log.error({ row, err }, 'a record of dropped content is corrupt and is skipped'),
    );
    this.#drainer = new JournalDrainer(this.#journal, store, own, draining, clock);
  }

  start(): void {
    this.#drainer.start();
  }

  add(eventId: string, accountId: string): void {
    if (this.#isClosed || this.#journal.unwrittenBytes > MAX_UNWRITTEN_BYTES) this.lostCount++;
    else this.#journal.appendSettleWithoutBegin(`{"event_id":"${eventId}","account_id":"${accountId}"}`);
  }

  /** Resolves once what was added before is stored. @throws where that fails */
  async flush(): Promise<void> {
    if (this.#journal.undrainedBytes > 0) await this.#drainer.drain();
  }

  /** What is not stored within the time is stored after the next start. */
  async stop(withinMs: number): Promise<void> {
    this.#isClosed = true;
    await this.#drainer.stop(withinMs);
    this.#journal.removeDrained();
    this.#journal.close();
  }
}
