import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '../../../calendar/clock.ts';
import type { SqlQueries } from '../../../database/sql.ts';
import type { ArchiveFiles } from '../../../storage/blobs/blob-files.ts';
import { isClosed, type UsageMonth } from './usage-months.ts';
import { ArchiveError } from './archive-error.ts';
import { ArchiveRecords, LEASE_SECONDS, type ArchiveRecord, type RecordedPart } from './archive-records.ts';
import { hasRowsStored, nextPage, type ArchiveRange, type Position } from './archive-rows.ts';
import { manifest, manifestKey, partKey } from './manifest.ts';
import { writePart } from './write-part.ts';

export interface UsageArchiveOptions {
  readonly database: SqlQueries;
  readonly files: ArchiveFiles;
  /** Of the files, as an operator writes it. */
  readonly location: string;
  readonly clock?: Clock;
  /** From this many rows on, a file is complete. */
  readonly maxPartRows?: number;
  /** Rows of a row group. */
  readonly maxGroupRows?: number;
  /** Called from time to time. */
  readonly onProgress?: (progress: ArchiveProgress) => void;
}

export interface ArchiveProgress {
  readonly month: string;
  /** The number of the part that is being written. */
  readonly part: number;
  /** Rows that this call has written. */
  readonly rows: number;
}

export interface ArchivedMonth {
  readonly record: ArchiveRecord;
  /** What this call added; none if the archive was up to date. */
  readonly added: readonly RecordedPart[];
  readonly isUpToDate: boolean;
}

/** Files of this size are read in parallel, and are still few in months of 100 million rows. */
const MAX_PART_ROWS = 500_000;
/** Longer than any statement that stores usage, so that all rows stamped earlier are visible. */
const STORAGE_DELAY_MS = 60_000;

/**
 * Writes closed months of the usage log as Parquet files. A run has an upper bound for the time at which its rows were stored, and
 * the next run of the month begins there: late rows are in further files. Each file is verified before it is recorded, and an
 * interrupted run continues after its last recorded file.
 */
export class UsageArchive {
  readonly #options: UsageArchiveOptions;
  readonly #records: ArchiveRecords;

  constructor(options: UsageArchiveOptions) {
    this.#options = options;
    this.#records = new ArchiveRecords(options.database);
  }

  /**
   * Brings the archive of a month up to date.
   * @throws ArchiveError | ArchiveInUse | SluiceError storage_unavailable | the signal's reason: it can be called again
   */
  async archive(month: UsageMonth, signal?: AbortSignal): Promise<ArchivedMonth> {
    await this.#refuseOpen(month);
    const holder = randomUUID();
    await this.#records.acquire(month, this.#options.location, holder);
    const lost = new AbortController();
    const renew = (): void => {
      // A database that does not respond fails the statements of the run as well.
      this.#records.renew(month, holder).catch((error: unknown) => lost.abort(error));
    };
    const timer = (this.#options.clock ?? systemClock).setInterval(renew, (LEASE_SECONDS / 4) * 1_000).unref();
    const ended = signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]);
    try {
      return await this.#archive(month, holder, ended);
    } finally {
      timer.cancel();
      await this.#records.release(month, holder).catch(() => undefined);
    }
  }

  /** @throws ArchiveError */
  async #refuseOpen(month: UsageMonth): Promise<void> {
    if (await isClosed(this.#options.database, month)) return;
    const end = new Date(month.to).toISOString().slice(0, 10);
    throw new ArchiveError(`${month.name} is not over. It can be archived from ${end} on (UTC).`);
  }

  async #archive(month: UsageMonth, holder: string, signal: AbortSignal): Promise<ArchivedMonth> {
    const before = await this.#recordOf(month);
    const recorded = await this.#records.partsOf(month);
    const isElsewhere = before.location !== this.#options.location;
    const isUpToDate =
      before.storedBefore !== null && before.pendingBefore === null && !(await this.#hasLateRows(month, before));
    if (isElsewhere || !isUpToDate) await this.#requireFiles(month, recorded);
    if (isElsewhere) await this.#records.relocate(month, holder, this.#options.location);
    if (isUpToDate) {
      await this.#removeUnrecorded(month, holder, recorded);
      return { record: await this.#recordOf(month), added: [], isUpToDate };
    }
    const storedBefore = await this.#records.begin(month, holder, STORAGE_DELAY_MS);
    const range = { month, storedFrom: before.storedBefore, storedBefore };
    let added: RecordedPart[];
    try {
      added = await this.#writeParts(range, holder, recorded, signal);
    } catch (error) {
      if (error instanceof ArchiveError) await this.#discard(month, holder);
      throw error;
    }
    const parts = [...recorded, ...added];
    const incompleteAccounts = await this.#records.countIncomplete(month, holder);
    signal.throwIfAborted();
    await this.#removeUnrecorded(month, holder, parts);
    const facts = manifest({ month, storedBefore, incompleteAccounts, parts });
    const written = await this.#options.files.write(manifestKey(month), facts, Infinity);
    await written.commit();
    await this.#records.complete(month, holder);
    return { record: await this.#recordOf(month), added, isUpToDate: false };
  }

  /** Whether rows of an archived month were stored after it was archived. */
  async #hasLateRows(month: UsageMonth, { storedBefore }: Pick<ArchiveRecord, 'storedBefore'>): Promise<boolean> {
    if (storedBefore === null) return false;
    const [row] = await this.#options.database.query<{ until: string }>(
      `select (extract(epoch from now()) * 1000 - $1)::bigint::text as until`,
      [STORAGE_DELAY_MS],
    );
    return row !== undefined && hasRowsStored(this.#options.database, month, storedBefore, new Date(Number(row.until)));
  }

  /** After the last recorded part of the run, if it is one that was interrupted. */
  async #writeParts(
    range: ArchiveRange,
    holder: string,
    recorded: readonly RecordedPart[],
    signal: AbortSignal,
  ): Promise<RecordedPart[]> {
    const { database, files, maxPartRows = MAX_PART_ROWS, maxGroupRows, onProgress } = this.#options;
    const { month, storedBefore } = range;
    const previous = recorded.at(-1);
    const isContinued = previous?.storedBefore.getTime() === storedBefore.getTime();
    let after: Position | null = isContinued ? (previous?.last ?? null) : null;
    let number = (previous?.number ?? 0) + 1;
    let rows = 0;
    const added: RecordedPart[] = [];
    for (;;) {
      signal.throwIfAborted();
      const first = await nextPage(database, range, after);
      if (first === null) return added;
      const onRows = (count: number): void => onProgress?.({ month: month.name, part: number, rows: (rows += count) });
      const source = { database, range, after, first };
      const part = await writePart(source, {
        files,
        name: partKey(month, number),
        maxRows: maxPartRows,
        ...(maxGroupRows !== undefined && { maxGroupRows }),
        onRows,
        requireLease: () => this.#records.renew(month, holder),
        signal,
      });
      const complete = { ...part, number, storedBefore };
      await this.#records.addPart(month, holder, complete);
      added.push(complete);
      after = part.last;
      number++;
    }
  }

  /** Removes the files of a run without a result, the last one first: what remains after a failure follows the recorded ones. */
  async #discard(month: UsageMonth, holder: string): Promise<void> {
    const numbers = await this.#records.discard(month, holder);
    for (const number of numbers.toSorted((one, other) => other - one))
      await this.#options.files.remove(partKey(month, number));
  }

  /**
   * Removes the files after the last recorded one. A run that failed or was killed leaves them where its rows were removed before the
   * next one; programs that read the whole folder would count them.
   */
  async #removeUnrecorded(month: UsageMonth, holder: string, parts: readonly RecordedPart[]): Promise<void> {
    const { files } = this.#options;
    const recorded = parts.at(-1)?.number ?? 0;
    let last = recorded;
    while ((await files.sizeOf(partKey(month, last + 1))) !== null) last++;
    if (last === recorded) return;
    await this.#records.renew(month, holder);
    for (let number = last; number > recorded; number--) await files.remove(partKey(month, number));
  }

  /** @throws ArchiveError if a file of the archive is not in the configured storage */
  async #requireFiles(month: UsageMonth, parts: readonly RecordedPart[]): Promise<void> {
    const { files, location } = this.#options;
    for (const { number, bytes } of parts) {
      const name = partKey(month, number);
      const size = await files.sizeOf(name);
      if (size === bytes) continue;
      const fault = size === null ? 'is missing' : `has ${size} of ${bytes} bytes`;
      throw new ArchiveError(
        `${name} ${fault} in ${location}. The archive of ${month.name} was written to ${(await this.#recordOf(month)).location}: copy its files here, or configure that storage.`,
      );
    }
  }

  async #recordOf(month: UsageMonth): Promise<ArchiveRecord> {
    const record = await this.#records.of(month);
    if (record === null) throw new ArchiveError(`The record of the archive of ${month.name} was removed.`);
    return record;
  }
}
