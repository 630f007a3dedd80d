import { parseArgs } from 'node:util';
import { blobFolder, openBucket } from '../../composition/storage.ts';
import { SluiceError } from '../../errors/index.ts';
import { BlobMigration, type MigrationProgress, type MigrationSize } from '../../storage/blobs/blob-migration.ts';
import { FolderFiles } from '../../storage/blobs/folder-files.ts';
import { BadArguments } from '../errors/bad-arguments.ts';
import { withDatabase } from '../with-database.ts';
import { describeFiles, ProgressLines } from './progress-lines.ts';

const usage = `Usage:
  sluice storage migrate --from <folder|s3> --to <folder|s3> [--dry-run]

Moves stored files, media and logged content between the folder \`blobs\` of the data folder and the bucket (S3_BUCKET). Each file
is compared with its checksum before the original is removed. It can be interrupted and run again: it continues where it ended.

Servers may run meanwhile if they were started with the same S3_ variables, and store new files in the target:
  folder to s3: set S3_BUCKET, restart all servers, run it.
  s3 to folder: set SLUICE_STORAGE=folder, restart all servers, run it; remove the S3_ variables afterwards.

  --dry-run   print what would be moved, and check that the bucket can be reached

Exit codes: 0 all files were moved; 1 some were not, or it was interrupted; 2 the arguments are wrong.

Example:
  sluice storage migrate --from folder --to s3
`;

/** @returns the exit code */
export async function storageCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      from: { type: 'string' },
      to: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  if (values.help || positionals.length === 0) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  try {
    if (positionals.join(' ') !== 'migrate') throw new BadArguments(usage.trimEnd());
    return await migrate(readSource(values.from, values.to), values['dry-run']);
  } catch (error) {
    if (!(error instanceof BadArguments)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}

/** @throws BadArguments */
function readSource(from: string | undefined, to: string | undefined): 'folder' | 's3' {
  if (from === 'folder' && to === 's3') return from;
  if (from === 's3' && to === 'folder') return from;
  throw new BadArguments('Specify `--from folder --to s3`, or `--from s3 --to folder`.');
}

function migrate(from: 'folder' | 's3', isDryRun: boolean): Promise<number> {
  return withDatabase(async (database, environment, dataDir) => {
    const bucket = openBucket(environment);
    if (bucket === null) throw new BadArguments('S3_BUCKET is not set.');
    await database.migrate();
    const progress = new ProgressLines();
    const migration = new BlobMigration({
      database,
      folder: new FolderFiles(blobFolder(dataDir), async () => false),
      bucket,
      from,
      onProgress: (done) => progress.show(done),
      onFailure: (id, reason) => process.stderr.write(`${id} was not moved: ${reason}\n`),
    });
    try {
      await bucket.check();
      const size = await migration.size();
      progress.total = size;
      if (!isDryRun) return report(await runUntilInterrupted(migration), size);
      process.stdout.write(`${describeFiles(size.blobs, size.bytes)} would be moved. Nothing was changed.\n`);
      return 0;
    } catch (error) {
      return explain(error);
    } finally {
      await bucket.close();
    }
  });
}

interface MigrationEnd extends MigrationProgress {
  readonly isInterrupted: boolean;
}

/** Ends after the files that are being moved. */
async function runUntilInterrupted(migration: BlobMigration): Promise<MigrationEnd> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return { ...(await migration.run(interruption.signal)), isInterrupted: interruption.signal.aborted };
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function report({ moved, movedBytes, failed, isInterrupted }: MigrationEnd, { blobs, bytes }: MigrationSize): number {
  process.stdout.write(`${describeFiles(moved, movedBytes)} moved of ${describeFiles(blobs, bytes)}.\n`);
  if (failed > 0) process.stderr.write(`${describeFiles(failed)} could not be moved; they remain where they are.\n`);
  if (isInterrupted) process.stderr.write('Interrupted. Run the same command again to continue.\n');
  return failed > 0 || isInterrupted ? 1 : 0;
}

/** The store's own words are for the operator. */
function explain(error: unknown): number {
  if (!(error instanceof SluiceError) || error.code !== 'storage_unavailable') throw error;
  const reason = error.detail ?? error.message;
  process.stderr.write(`The bucket cannot be used: ${reason}. Run the same command again to continue.\n`);
  return 1;
}
