import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openAbandonedClaims } from '../../composition/journals/abandoned-claims.ts';
import { adoptInstance, type AdoptionCounts } from '../../composition/journals/adopt-instance.ts';
import { processFolders, unstoredBytes } from '../../composition/journals/instance-folders.ts';
import { openRecount } from '../../composition/journals/recount-budgets.ts';
import { loadFile } from '../../config/configuration.ts';
import { REFUSED_USAGE } from '../../composition/journals/refused-usage.ts';
import { FolderInUseError } from '../../database/embedded/folder-lock.ts';
import { DroppedContents } from '../../services/content-log/dropped-contents.ts';
import { UsageStore } from '../../services/usage/usage-store.ts';
import { BadArguments } from '../errors/bad-arguments.ts';
import { withDatabase } from '../with-database.ts';
import { AdoptionProgress, counted } from './adoption-progress.ts';

export interface AdoptArguments {
  /** Absolute. */
  readonly folder: string;
  readonly waitMs: number;
  readonly isDryRun: boolean;
  readonly includesExpired: boolean;
}

/** @returns the exit code. @throws BadArguments */
export function adopt({ folder, waitMs, isDryRun, includesExpired }: AdoptArguments): Promise<number> {
  if (processFolders(folder).length === 0)
    throw new BadArguments(`${folder} has no journal: it is not the data folder of an instance.`);
  return withDatabase(async (database, environment) => {
    await database.migrate();
    const faults: string[] = [];
    const report = (text: string, error: unknown): void => {
      faults.push(text);
      process.stderr.write(`${text}: ${error instanceof Error ? error.message : String(error)}\n`);
    };
    const log = { error: (_fields: object, text: string) => report(text, 'skipped') };
    const notes = {
      warn: (_fields: object, text: string) => void process.stderr.write(`${text}\n`),
      info: () => undefined,
    };
    const recount = isDryRun ? null : await openRecount(database, environment, await loadFile(), notes);
    const shared = isDryRun ? null : await openAbandonedClaims(environment, notes);
    const progress = new AdoptionProgress(unstoredBytes(folder));
    const interruption = new AbortController();
    const interrupt = (): void => interruption.abort(new Interrupted());
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    try {
      const counts = await adoptInstance(
        folder,
        {
          database,
          usage: new UsageStore(database, (row, error) =>
            report(`A record cannot be stored and is skipped: ${JSON.stringify(row)}`, error),
          ),
          drops: new DroppedContents({ database, log }),
          moveFiles: null,
          claims: shared?.claims ?? null,
          recount: async (accountIds) => recount?.recount(accountIds),
          onCorrupt: (record, error) => report(`A record is corrupt and is skipped: ${record}`, error),
          onProgress: (bytes) => progress.add(bytes),
        },
        { waitMs, isDryRun, includesExpired, signal: interruption.signal },
      );
      process.stdout.write(isDryRun ? describePreview(counts) : describeAdoption(folder, counts));
      if (counts.refused > 0) process.stderr.write(describeRefused(folder, counts, isDryRun));
      return faults.length + counts.refused > 0 ? 1 : 0;
    } catch (error) {
      const reason = explain(error, folder);
      if (reason === null) throw error;
      process.stderr.write(`${reason}\n`);
      return 1;
    } finally {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      recount?.close();
      shared?.close();
    }
  });
}

const inUse =
  'An instance stores its own journal: stop it, or wait until it ended (--wait). The folder of an instance on another machine counts as in use until its lock was not updated for 8 seconds.';

class Interrupted extends Error {}

/** Null for errors of the database and others. */
function explain(error: unknown, folder: string): string | null {
  if (error instanceof FolderInUseError) return `${folder} is in use. ${inUse}`;
  if (error instanceof Interrupted) return 'Interrupted. Run the same command again to continue.';
  const isOfFolder = error instanceof Error && 'path' in error && String(error.path).startsWith(folder);
  return isOfFolder ? `${error.message}. This user must be able to read and write the folder.` : null;
}

function describeRefused(folder: string, { refused }: AdoptionCounts, isDryRun: boolean): string {
  const what = `${counted(refused, 'request')} from a time of which retention removed usage of the account ${isDryRun ? 'would not be' : 'not'} stored: they may have been counted before.`;
  return isDryRun
    ? `${what} Add --include-expired to store them, if the folder was never stored before.\n`
    : `${what} They are in ${join(folder, REFUSED_USAGE)}.\n`;
}

function describePreview({ requests, storedBefore, interrupted, refused, droppedContents }: AdoptionCounts): string {
  return `${counted(requests - refused, 'request')} would be stored (${storedBefore} are stored already); ${interrupted} of them would be INTERRUPTED, with estimated usage. ${counted(droppedContents, 'content')} would be marked as dropped. Nothing was changed.\n`;
}

function describeAdoption(
  folder: string,
  { requests, storedBefore, interrupted, refused, droppedContents, accounts, settledKeys }: AdoptionCounts,
): string {
  const lines = [
    `${counted(requests - refused, 'request')} of ${counted(accounts, 'account')} stored (${storedBefore} were stored already); ${interrupted} of them INTERRUPTED, with estimated usage. ${counted(droppedContents, 'content')} marked as dropped. ${counted(settledKeys, 'idempotency key')} ended.`,
    ...(hasFiles(join(folder, 'blobs'))
      ? [`${join(folder, 'blobs')} has stored files: they are in no bucket, and are not adopted.`]
      : existsSync(join(folder, REFUSED_USAGE))
        ? [`${join(folder, REFUSED_USAGE)} has usage that was not stored. Nothing else in the folder is needed.`]
        : [`No usage is left in ${folder}. It can be removed.`]),
  ];
  return `${lines.join('\n')}\n`;
}

function hasFiles(folder: string): boolean {
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile());
}
