import { join } from 'node:path';
import type { SqlQueries } from '../../database/sql.ts';
import { settleAbandoned } from '../../gateway/idempotency/settle-abandoned.ts';
import type { AbandonedClaims } from '../../gateway/idempotency/shared-claims.ts';
import { AdoptedJournal, type ReplaySink } from '../../gateway/usage/journal/adopted-journal.ts';
import type { DroppedStore } from '../../gateway/usage/journal/drop-journal.ts';
import type { UsageSink } from '../../gateway/usage/usage-record.ts';
import { IDEMPOTENCY, JOURNALS } from '../worker-folders.ts';
import { lockInstance } from './instance-folders.ts';
import { accountsIn, examineRows, splitRows } from './journal-rows.ts';
import { keepRefused } from './refused-usage.ts';

export interface AdoptionDependencies {
  readonly database: SqlQueries;
  readonly usage: UsageSink;
  readonly drops: DroppedStore;
  /** Counts the spending of these accounts again. @throws where that fails: the journals are kept, and replayed again */
  readonly recount: (accountIds: ReadonlySet<string>) => Promise<void>;
  /** Called with each corrupt record, which is skipped. */
  readonly onCorrupt: (record: string, error: unknown) => void;
  readonly onProgress?: (bytes: number) => void;
  /** Null where instances share no idempotency keys: then they end with the instance. */
  readonly claims: AbandonedClaims | null;
  /** Moves the stored files of an instance. @returns how many. Null where they remain: no instance is here */
  readonly moveFiles: ((dataDir: string) => Promise<number>) | null;
}

export interface AdoptionOptions {
  /** For processes that use the folder to end. 0 if absent. */
  readonly waitMs?: number;
  /** Whether to count only. */
  readonly isDryRun?: boolean;
  /** Whether to store requests that may have been removed by retention, too. */
  readonly includesExpired?: boolean;
  readonly signal?: AbortSignal;
}

/** What the journals of an instance contained. */
export interface AdoptionCounts {
  readonly requests: number;
  /** Of these requests, those that the database had already. */
  readonly storedBefore: number;
  /** Of these requests, those that were not settled. */
  readonly interrupted: number;
  /** Of these requests, those older than the retention of their account, which were not stored. */
  readonly refused: number;
  readonly droppedContents: number;
  readonly accounts: number;
  /** Idempotency keys that had no end in Redis. */
  readonly settledKeys: number;
  /** Stored files that were moved. */
  readonly movedFiles: number;
}

/**
 * Stores the journals of an instance that ended for good, and removes them. Requests that retention may have removed from the usage log
 * are not counted again: they remain in a file of the folder. While it runs, the folder is locked: a process that
 * starts there fails or waits. A kill at any time leaves the journals to be adopted again.
 * @throws FolderInUseError, and what the stores throw
 */
export async function adoptInstance(
  dataDir: string,
  dependencies: AdoptionDependencies,
  { waitMs = 0, isDryRun = false, includesExpired = false, signal }: AdoptionOptions = {},
): Promise<AdoptionCounts> {
  const { claims } = dependencies;
  const { folders, release } = await lockInstance(dataDir, waitMs);
  try {
    const open = (name: string): AdoptedJournal[] => folders.map((folder) => new AdoptedJournal(join(folder, name)));
    const [usage, drops] = [open(JOURNALS.usage), open(JOURNALS.droppedContent)];
    const keep = isDryRun ? null : (rows: readonly string[], commons: string) => keepRefused(dataDir, rows, commons);
    const replay = new Replay(dependencies, { isDryRun, includesExpired, keep });
    try {
      for (const journal of usage) replay.interrupted += await journal.replay(replay.usageSink, signal);
      for (const journal of drops) await journal.replay(replay.dropSink, signal);
      if (isDryRun) return replay.counts;
      // Before the journals are removed: a kill before has it repeated.
      replay.movedFiles = (await dependencies.moveFiles?.(dataDir)) ?? 0;
      if (replay.accounts.size > 0) await dependencies.recount(replay.accounts);
      if (claims !== null)
        for (const folder of folders) replay.settledKeys += await settleAbandoned(join(folder, IDEMPOTENCY), claims);
    } catch (error) {
      for (const journal of [...usage, ...drops]) journal.close();
      throw error;
    }
    for (const journal of [...usage, ...drops]) journal.remove();
    return replay.counts;
  } finally {
    await release();
  }
}

interface ReplayOptions {
  readonly isDryRun: boolean;
  readonly includesExpired: boolean;
  /** Keeps records that are not stored. */
  readonly keep: ((rows: readonly string[], commons: string) => Promise<void>) | null;
}

class Replay {
  interrupted = 0;
  settledKeys = 0;
  movedFiles = 0;
  readonly accounts = new Set<string>();
  readonly usageSink: ReplaySink;
  readonly dropSink: ReplaySink;
  readonly #seen = { requests: 0, storedBefore: 0, refused: 0, droppedContents: 0 };

  constructor(
    { database, usage, drops, onCorrupt, onProgress }: AdoptionDependencies,
    { isDryRun, includesExpired, keep }: ReplayOptions,
  ) {
    const shared = { onCorrupt, ...(onProgress && { onProgress }) };
    this.usageSink = {
      ...shared,
      store: async (rows, commons) => {
        const { all, stored, expired } = await examineRows(database, rows, commons);
        this.#seen.requests += all;
        this.#seen.storedBefore += stored;
        for (const id of accountsIn(rows, commons)) this.accounts.add(id);
        const isWhole = expired.length === 0 || includesExpired;
        const { chosen, others } = isWhole ? { chosen: [], others: [] } : splitRows(rows, expired);
        this.#seen.refused += chosen.length;
        if (chosen.length > 0) await keep?.(chosen, commons);
        if (isDryRun) return;
        if (isWhole) await usage.store(rows, commons);
        else if (others.length > 0) await usage.store(Buffer.from(`[${others.join(',')}]`), commons);
      },
    };
    this.dropSink = {
      ...shared,
      store: async (rows, commons) => {
        this.#seen.droppedContents += (await examineRows(database, rows, commons)).all;
        if (!isDryRun) await drops.store(rows);
      },
    };
  }

  get counts(): AdoptionCounts {
    const { interrupted, settledKeys, movedFiles, accounts } = this;
    return { ...this.#seen, interrupted, settledKeys, movedFiles, accounts: accounts.size };
  }
}
