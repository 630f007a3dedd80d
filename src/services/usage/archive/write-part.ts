import type { SqlQueries } from '../../../database/sql.ts';
import { SluiceError } from '../../../errors/index.ts';
import type { ArchiveFiles, WrittenFile } from '../../../storage/blobs/blob-files.ts';
import { ArchiveError } from './archive-error.ts';
import { nextPage, sumsBetween, type ArchivePage, type ArchiveRange, type Position } from './archive-rows.ts';
import { PartFile } from './part-file.ts';
import { readPart, type ReadPart } from './read-part.ts';

/** The rows of a part: those after a position. */
export interface PartSource {
  readonly database: SqlQueries;
  readonly range: ArchiveRange;
  readonly after: Position | null;
  /** The first page after it. */
  readonly first: ArchivePage;
}

export interface PartTarget {
  readonly files: ArchiveFiles;
  readonly name: string;
  readonly maxRows: number;
  readonly maxGroupRows?: number;
  /** Called with the number of rows of each page. */
  onRows(count: number): void;
  /** Called before a file is put into its place or removed from it. @throws if another run may have written it meanwhile */
  requireLease(): Promise<void>;
  readonly signal: AbortSignal;
}

export interface WrittenPart extends ReadPart {
  readonly firstAccountId: string;
  readonly last: Position;
}

/**
 * Writes a file, reads it back from its place, and compares its rows and costs with what the database counts.
 * @throws ArchiveError if they differ; the file is removed then
 */
export async function writePart(source: PartSource, target: PartTarget): Promise<WrittenPart> {
  const { database, range, after, first } = source;
  const { files, name, onRows, signal } = target;
  const part = new PartFile(target.maxGroupRows);
  const next = async (position: Position): Promise<ArchivePage | null> => {
    signal.throwIfAborted();
    const page = await nextPage(database, range, position);
    if (page !== null) onRows(page.rows.length);
    return page;
  };
  onRows(first.rows.length);
  const written = await files.write(name, part.chunks(first, next, target.maxRows), Infinity);
  await commit(written, target);
  const counted = await sumsBetween(database, range, after, part.last);
  const read = await readPart(files, name).catch(nullIfUnreadable);
  const fault = read === null ? 'it cannot be read' : faultOf(read, written, part, counted);
  if (read === null || fault !== null) {
    await target.requireLease();
    await files.remove(name);
    throw new ArchiveError(`${name} was not archived: ${fault}. Run the command again.`);
  }
  return { ...read, firstAccountId: String(first.rows[0]?.account_id), last: part.last };
}

/** @throws SluiceError storage_unavailable: it may be readable later */
function nullIfUnreadable(error: unknown): null {
  if (error instanceof SluiceError) throw error;
  return null;
}

async function commit(written: WrittenFile, { requireLease }: Pick<PartTarget, 'requireLease'>): Promise<void> {
  try {
    await requireLease();
    await written.commit();
  } catch (error) {
    await written.discard();
    throw error;
  }
}

/** Null if all agree. */
function faultOf(
  read: ReadPart,
  written: WrittenFile,
  { sums }: PartFile,
  counted: { readonly rows: number; readonly costNano: bigint },
): string | null {
  if (read.bytes !== written.size || read.sha256 !== written.sha256.toString('hex'))
    return 'the stored file differs from what was written';
  if (read.rows !== sums.rows || read.costNano !== sums.costNano)
    return `the stored file has ${read.rows} rows with ${read.costNano} nano-USD, and ${sums.rows} with ${sums.costNano} were written`;
  if (counted.rows !== sums.rows || counted.costNano !== sums.costNano)
    return `rows were removed meanwhile, by retention or an erasure: the database has ${counted.rows} with ${counted.costNano} nano-USD, the file ${sums.rows} with ${sums.costNano}`;
  return null;
}
