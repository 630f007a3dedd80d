import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { mapDatabaseErrors } from '../database/connection-failure.ts';
import type { Database } from '../database/database.ts';
import { Account, Blob } from '../database/entities/index.ts';
import { SluiceError } from '../errors/index.ts';
import type { BlobFiles, DownloadHeaders, WrittenFile } from './blobs/blob-files.ts';
import { FolderFiles } from './blobs/folder-files.ts';
import { isBlobId, objectKeyOf, SEGMENT_TYPE } from './blobs/object-key.ts';
import { workConcurrently } from './blobs/work-concurrently.ts';

/** Metadata of a stored file. */
export interface StoredBlob {
  readonly id: string;
  /** Null if it belongs to the server itself. */
  readonly accountId: string | null;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

export interface NewBlob {
  readonly accountId: string | null;
  readonly contentType: string;
  /** Null: it does not expire. */
  readonly expiresAt: Date | null;
  /** Maximum size in bytes. */
  readonly sizeLimit: number;
}

/** Both ends inclusive, as in an HTTP range. */
export interface ByteRange {
  readonly first: number;
  /** To the end where absent. */
  readonly last?: number;
}

export interface OpenBlob {
  readonly blob: StoredBlob;
  readonly first: number;
  readonly last: number;
  readonly stream: Readable;
}

/** Where the bytes of a blob are. */
interface Location {
  readonly files: BlobFiles;
  readonly name: string;
}

const sweepBatch = 500;
const MAX_CONCURRENT_REMOVALS = 16;
/** So many are an outage: the next sweep removes the others. */
const MAX_FAILED_IN_ROW = 100;
/** What is incoming for this long has lost its writer. */
const ABANDONED_MS = 24 * 3_600_000;

interface SweepRun {
  readonly failures: unknown[];
  failedInRow: number;
}

export interface BlobBucket {
  readonly files: BlobFiles;
  /** Whether new blobs are stored there. */
  readonly isTarget: boolean;
  /** Whether clients may download from it by a link. */
  readonly hasLinks?: boolean;
}

/**
 * Files in a folder or in a bucket, with metadata in rows, which say where each of them is. A file is complete before its id is
 * returned, and a row is deleted only after its file: the sweep repairs interrupted operations. Every method also throws SluiceError
 * database_unavailable; where files are in a bucket, storage_unavailable, too.
 */
export class BlobStore {
  readonly #database: Database;
  readonly #folder: BlobFiles;
  readonly #bucket: BlobFiles | null;
  readonly #storesInBucket: boolean;
  readonly #hasLinks: boolean;

  /** @param bucket null where none is configured */
  constructor(database: Database, folder: string, bucket: BlobBucket | null = null) {
    this.#database = database;
    this.#folder = new FolderFiles(
      folder,
      async (id) => (await database.em().count(Blob, { id, objectKey: null })) > 0,
    );
    this.#bucket = bucket?.files ?? null;
    this.#storesInBucket = bucket?.isTarget ?? false;
    this.#hasLinks = bucket?.hasLinks ?? false;
  }

  /** @throws SluiceError request_too_large; nothing is stored then, or if the source fails */
  async put(content: Uint8Array | AsyncIterable<Uint8Array>, meta: NewBlob): Promise<StoredBlob> {
    const id = randomUUID();
    const objectKey = this.#storesInBucket ? objectKeyOf({ id, ...meta }) : null;
    const { files, name } = this.#locate({ id, objectKey });
    const written = await files.write(name, content, meta.sizeLimit);
    const em = this.#database.em();
    const { accountId, contentType, expiresAt } = meta;
    const account = accountId === null ? null : em.getReference(Account, accountId);
    const { size, sha256 } = written;
    const row = em.create(Blob, { id, account, contentType, expiresAt, size, sha256, objectKey });
    try {
      await mapDatabaseErrors(() => em.persist(row).flush());
    } catch (error) {
      await written.discard();
      throw error;
    }
    await this.#commit(written, id);
    return describe(row);
  }

  /**
   * Null if the account has no such file, or it has expired.
   * @throws RangeError if the range starts after the last byte
   */
  get(id: string, accountId: string | null, range?: ByteRange): Promise<OpenBlob | null> {
    return this.#open(id, { account: accountId }, () => range);
  }

  /**
   * As `get`, not restricted to an account: for requests with a verified signed link.
   * @param part selects the range for the file's size; null for none, all where absent
   */
  getUnscoped(id: string, part?: (size: number) => ByteRange | null): Promise<OpenBlob | null> {
    return this.#open(id, {}, (size) => part?.(size));
  }

  /**
   * A URL by which the file can be downloaded from the bucket, for a short time and without credentials: never log it. Null where links
   * are not allowed, the account has no such file, it has expired, is not in the bucket, or is encrypted.
   */
  async linkTo(id: string, accountId: string, headers: DownloadHeaders): Promise<string | null> {
    if (!this.#hasLinks) return null;
    const row = await this.#find(id, { account: accountId });
    const key = row?.objectKey ?? null;
    if (row === null || key === null || row.contentType === SEGMENT_TYPE) return null;
    if (row.expiresAt !== null && row.expiresAt <= new Date()) return null;
    return (await this.#bucket?.linkTo?.(key, headers)) ?? null;
  }

  /** False if the account has no such file. A file that cannot be removed now expires, and is removed by a sweep. */
  async delete(id: string, accountId: string | null): Promise<boolean> {
    for (;;) {
      const row = await this.#find(id, { account: accountId });
      if (row === null) return false;
      const isRemoved = await this.#removeFile(row).then(
        () => true,
        () => false,
      );
      const em = this.#database.em();
      // It may have been moved since the row was read.
      const unmoved = { id, objectKey: row.objectKey };
      const changed = await mapDatabaseErrors(() =>
        isRemoved ? em.nativeDelete(Blob, unmoved) : em.nativeUpdate(Blob, unmoved, { expiresAt: new Date() }),
      );
      if (changed > 0) return true;
    }
  }

  /**
   * Removes files that expired by `now`, and those of interrupted writers.
   * @returns the number of removed files @throws after all others are removed, where some cannot be
   */
  async sweep(now: Date): Promise<number> {
    const failures: unknown[] = [];
    const run: SweepRun = { failures, failedInRow: 0 };
    const abandoned = new Date(now.getTime() - ABANDONED_MS);
    for (const files of [this.#folder, this.#bucket])
      await files?.removeAbandoned(abandoned).catch((error: unknown) => failures.push(error));
    let removed = 0;
    for (let ids: string[] | null = null; ids === null || (ids.length === sweepBatch && !isHopeless(run));) {
      const following: object = ids === null ? {} : { id: { $gt: ids.at(-1) } };
      const expired = await this.#database
        .em()
        .find(
          Blob,
          { expiresAt: { $lte: now }, ...following },
          { fields: ['id', 'objectKey'], orderBy: { id: 'asc' }, limit: sweepBatch, disableIdentityMap: true },
        );
      ids = expired.map(({ id }) => id);
      removed += await this.#removeEach(expired, run);
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some expired files could not be removed');
    return removed;
  }

  async #removeEach(rows: readonly Pick<Blob, 'id' | 'objectKey'>[], run: SweepRun): Promise<number> {
    const gone: Pick<Blob, 'id' | 'objectKey'>[] = [];
    await workConcurrently(rows, MAX_CONCURRENT_REMOVALS, async (row) => {
      if (isHopeless(run)) return;
      try {
        await this.#removeFile(row);
        gone.push(row);
        run.failedInRow = 0;
      } catch (error) {
        run.failures.push(error);
        run.failedInRow++;
      }
    });
    const idsIn = (isInBucket: boolean): string[] =>
      gone.filter(({ objectKey }) => (objectKey !== null) === isInBucket).map(({ id }) => id);
    // A file that was moved meanwhile is removed by the next sweep.
    const em = this.#database.em();
    const fromFolder = await em.nativeDelete(Blob, { id: { $in: idsIn(false) }, objectKey: null });
    return fromFolder + (await em.nativeDelete(Blob, { id: { $in: idsIn(true) }, objectKey: { $ne: null } }));
  }

  /** The answer to a commit that failed may be lost: the file expires with its row. A client does not wait for its removal. */
  async #commit(written: WrittenFile, id: string): Promise<void> {
    try {
      await written.commit();
    } catch (error) {
      await written.discard();
      await mapDatabaseErrors(() => this.#database.em().nativeUpdate(Blob, { id }, { expiresAt: new Date() }));
      throw error;
    }
  }

  async #find(id: string, owner: { readonly account?: string | null }): Promise<Blob | null> {
    return isBlobId(id) ? mapDatabaseErrors(() => this.#database.em().findOne(Blob, { id, ...owner })) : null;
  }

  async #open(
    id: string,
    owner: { readonly account?: string | null },
    part: (size: number) => ByteRange | null | undefined,
  ): Promise<OpenBlob | null> {
    const row = await this.#find(id, owner);
    if (row === null) return null;
    const opened = await this.#openRow(row, part);
    if (opened !== null) return opened;
    // It may have been moved since the row was read.
    const moved = await this.#find(id, owner);
    return moved === null || moved.objectKey === row.objectKey ? null : this.#openRow(moved, part);
  }

  /** The file is opened first, because its row may outlive it. */
  async #openRow(row: Blob, part: (size: number) => ByteRange | null | undefined): Promise<OpenBlob | null> {
    const blob = describe(row);
    if (blob.expiresAt !== null && blob.expiresAt <= new Date()) return null;
    const wanted = part(blob.size);
    const range = wanted === undefined ? { first: 0 } : wanted;
    const isEmpty = range === null || (blob.size === 0 && range.first === 0);
    if (isEmpty) return { blob, first: 0, last: -1, stream: Readable.from([]) };
    const { first, last: end = Infinity }: ByteRange = range;
    const last = Math.min(end, blob.size - 1);
    if (first < 0 || first > last) throw new RangeError(`The blob has ${blob.size} bytes.`);
    const { files, name } = this.#locate(row);
    const stream = await files.open(name, { first, last });
    // A caller that does not read the stream need not handle its errors.
    stream?.on('error', () => undefined);
    return stream && { blob, first, last, stream };
  }

  async #removeFile(row: Pick<Blob, 'id' | 'objectKey'>): Promise<void> {
    const { files, name } = this.#locate(row);
    await files.remove(name);
  }

  #locate({ id, objectKey }: Pick<Blob, 'id' | 'objectKey'>): Location {
    if (objectKey === null) return { files: this.#folder, name: id };
    if (this.#bucket !== null) return { files: this.#bucket, name: objectKey };
    throw new SluiceError('storage_unavailable', { detail: 'The blob is in a bucket, and S3_BUCKET is not set.' });
  }
}

function isHopeless({ failedInRow }: SweepRun): boolean {
  return failedInRow >= MAX_FAILED_IN_ROW;
}

function describe(row: Blob): StoredBlob {
  const { id, account, contentType, size, sha256, createdAt, expiresAt } = row;
  return { id, accountId: account?.id ?? null, contentType, size, sha256, createdAt, expiresAt };
}
