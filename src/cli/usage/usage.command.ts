import { parseArgs } from 'node:util';
import { openArchive } from '../../composition/storage.ts';
import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import { ArchiveError } from '../../services/usage/archive/archive-error.ts';
import { ArchiveInUse, ArchiveRecords, type ArchiveRecord } from '../../services/usage/archive/archive-records.ts';
import { countRows } from '../../services/usage/archive/archive-rows.ts';
import { UsageArchive } from '../../services/usage/archive/usage-archive.ts';
import { isClosed, parseMonth, usageMonths, type UsageMonth } from '../../services/usage/archive/usage-months.ts';
import { BadArguments } from '../errors/bad-arguments.ts';
import { withDatabase } from '../with-database.ts';
import { ArchiveLines, describeArchived, describeMissing } from './archive-lines.ts';

const usage = `Usage:
  sluice usage archive [--month <YYYY-MM>]... [--dry-run]

Writes closed months of the usage log, of all accounts, as Parquet files: to the bucket (S3_BUCKET), or to the folder \`archive\`
of the data folder. A month has the files \`usage/month=2026-10/part-00001.parquet\` and so on, and \`_manifest.json\` with their
rows, costs and checksums, which is written last. Each file is read back and compared with the database. Nothing is removed.

It can be interrupted and run again: it continues where it ended. Rows of an archived month that were stored later are written
to further files. Rows that were stored in the last minute wait for the next run. Servers may run meanwhile.

  --month     archive this month (UTC) only; can be repeated. Without it: every month that is over
  --dry-run   print what would be archived

Exit codes: 0 the months are archived; 1 some are not, or it was interrupted; 2 the arguments are wrong.

Example:
  sluice usage archive --month 2026-10
`;

/** @returns the exit code */
export async function usageCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      month: { type: 'string', multiple: true, default: [] },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  if (values.help || positionals.length === 0) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  try {
    if (positionals.join(' ') !== 'archive') throw new BadArguments(usage.trimEnd());
    return await run(values.month.map(readMonth), values['dry-run']);
  } catch (error) {
    if (!(error instanceof BadArguments)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}

/** @throws BadArguments */
function readMonth(text: string): UsageMonth {
  const month = parseMonth(text);
  if (month === null) throw new BadArguments(`--month must be a month, such as 2026-10. "${text}" is none.`);
  return month;
}

function run(given: readonly UsageMonth[], isDryRun: boolean): Promise<number> {
  return withDatabase(async (database, environment, dataDir) => {
    await database.migrate();
    const months = await chooseMonths(database, given);
    if (months.length === 0) process.stdout.write('The usage log has no rows of a month that is over.\n');
    if (isDryRun) {
      for (const month of months) process.stdout.write(await describePlan(database, month));
      return 0;
    }
    const { files, location, close } = openArchive(environment, dataDir);
    const lines = new ArchiveLines();
    const archive = new UsageArchive({ database, files, location, onProgress: (progress) => lines.show(progress) });
    const interruption = new AbortController();
    const interrupt = (): void => interruption.abort(new Interrupted());
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    try {
      let isComplete = true;
      for (const month of months) {
        lines.begin();
        isComplete = (await archiveOne(archive, month, interruption.signal)) && isComplete;
        if (interruption.signal.aborted) return 1;
      }
      return isComplete ? 0 : 1;
    } finally {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      await close();
    }
  });
}

class Interrupted extends Error {}

/** Those that are given, or all that are over. @throws BadArguments */
async function chooseMonths(database: Database, given: readonly UsageMonth[]): Promise<UsageMonth[]> {
  const stored = await usageMonths(database);
  const archived = new Set((await new ArchiveRecords(database).all()).map(({ month }) => month));
  const months: UsageMonth[] = [];
  for (const month of given.length > 0 ? given : stored) {
    if (await isClosed(database, month)) months.push(month);
    else if (given.length > 0)
      throw new BadArguments(
        `${month.name} is not over. It can be archived from ${new Date(month.to).toISOString().slice(0, 10)} on (UTC).`,
      );
  }
  for (const { name } of given)
    if (!archived.has(name) && stored.every((each) => each.name !== name))
      throw new BadArguments(`The usage log has no rows of ${name}.`);
  return months;
}

const MAX_COUNTED = 1_000_000;

async function describePlan(database: Database, month: UsageMonth): Promise<string> {
  const record = await new ArchiveRecords(database).of(month);
  const rows = await countRows(database, month, record?.storedBefore ?? null, MAX_COUNTED);
  const counted = `${rows === MAX_COUNTED ? 'at least ' : ''}${rows.toLocaleString('en-US')} rows`;
  return `${month.name}: ${planOf(record, rows, counted)}\n`;
}

function planOf(record: ArchiveRecord | null, rows: number, counted: string): string {
  if (record?.pendingBefore) return `an interrupted run would be continued, of ${counted}`;
  if (record === null || record.storedBefore === null) return `${counted} would be archived`;
  const archived = `archived, ${record.rows.toLocaleString('en-US')} rows`;
  return rows === 0
    ? `${archived}; there are no late rows`
    : `${archived}; ${counted} that were stored later would be added`;
}

/** @returns whether it is archived */
async function archiveOne(archive: UsageArchive, month: UsageMonth, signal: AbortSignal): Promise<boolean> {
  try {
    const archived = await archive.archive(month, signal);
    process.stdout.write(describeArchived(archived));
    process.stderr.write(describeMissing(archived) ?? '');
    return true;
  } catch (error) {
    process.stderr.write(`${month.name}: ${explain(error)}\n`);
    return false;
  }
}

/** The store's own words are for the operator. @throws what no operator can mend */
function explain(error: unknown): string {
  if (error instanceof Interrupted) return 'interrupted. Run the same command again to continue.';
  if (error instanceof ArchiveError || error instanceof ArchiveInUse) return error.message;
  if (!(error instanceof SluiceError) || error.code !== 'storage_unavailable') throw error;
  return `the storage cannot be used: ${error.detail ?? error.message}. Run the same command again to continue.`;
}
