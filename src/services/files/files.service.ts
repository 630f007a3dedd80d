import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { EntityManager } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { recordAudit } from '../../database/audit/record.ts';
import type { Database } from '../../database/database.ts';
import { Account, Blob, StoredFile } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import type { BlobStore, ByteRange } from '../../storage/blob-store.ts';
import type { DownloadHeaders } from '../../storage/blobs/blob-files.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { ListPageRequest } from '../list-page.ts';
import { rowsWithin } from '../object-reach.ts';
import { readFileId } from './file-id.ts';
import { FileSpace, type FileSpaceUsage } from './file-space.ts';
import type { FilePurpose, NewFile } from './new-file.ts';

/** OpenAI's limit for a file. */
export const MAX_FILE_BYTES = 512 * 1024 * 1024;
/** Bytes without a row are removed after this time: their writer has failed. */
const UNCLAIMED_MS = 86_400_000;
const EXPIRED_BATCH = 500;

export interface FilesDependencies {
  readonly database: Database;
  readonly blobs: Pick<BlobStore, 'put' | 'get' | 'delete' | 'linkTo'>;
  /** Bytes that the files of an account may have together. */
  readonly maxAccountBytes: number;
  readonly clock?: Clock;
}

/** The bytes are those of a client: browsers must neither display nor run them. */
export function downloadHeaders(filename: string): DownloadHeaders {
  return {
    contentType: 'application/octet-stream',
    contentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`,
  };
}

/** A file that is open for reading. */
export interface OpenFile {
  readonly file: StoredFile;
  /** Both ends inclusive; in an empty range the last is before the first. */
  readonly first: number;
  readonly last: number;
  readonly stream: Readable;
}

export interface FilePage {
  readonly rows: readonly StoredFile[];
  readonly hasMore: boolean;
}

/**
 * Files of accounts. Internal ids are UUIDs, public ones `file-…`; a file that the caller may not access is not found. Every method
 * also throws SluiceError database_unavailable.
 */
export class FilesService {
  readonly #database: Database;
  readonly #blobs: FilesDependencies['blobs'];
  readonly space: FileSpace;
  readonly #clock: Clock;

  constructor({ database, blobs, maxAccountBytes, clock = systemClock }: FilesDependencies) {
    this.#database = database;
    this.#blobs = blobs;
    this.space = new FileSpace(maxAccountBytes);
    this.#clock = clock;
  }

  /**
   * Stores a file. Its content is read as a stream.
   * @param free removes what the file replaces, in the transaction that adds it and under the lock of the account
   * @throws SluiceError file_too_large | file_storage_full; nothing is stored then
   */
  async create(
    given: NewFile,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    sizeLimit: number = MAX_FILE_BYTES,
    free?: (em: EntityManager) => Promise<void>,
  ): Promise<StoredFile> {
    const { accountId } = given;
    const blob = await this.#blobs.put(content, {
      accountId,
      contentType: 'application/octet-stream',
      expiresAt: new Date(this.#clock.now() + UNCLAIMED_MS),
      sizeLimit,
    });
    try {
      return await mapDatabaseErrors(() => this.#claim(given, blob, free));
    } catch (error) {
      // It expires where that fails, too.
      await this.#blobs.delete(blob.id, accountId).catch(() => undefined);
      throw error;
    }
  }

  /** @throws SluiceError file_storage_full if the account cannot store so many bytes more */
  async requireSpace(accountId: string, bytes: number): Promise<void> {
    await mapDatabaseErrors(() => this.space.require(this.#database.em(), accountId, bytes));
  }

  /**
   * @param param the member of a request that names it
   * @throws SluiceError not_found
   */
  get(reach: ObjectReach, publicId: string, param: string | null = null): Promise<StoredFile> {
    return mapDatabaseErrors(async () => {
      const id = readFileId(publicId);
      const file = id === null ? null : await this.#database.em().findOne(StoredFile, { id, ...rowsWithin(reach) });
      return file !== null && this.#isKept(file) ? file : noFile(param);
    });
  }

  /**
   * @param part selects the range for the file's size; null for none
   * @throws SluiceError not_found
   */
  async open(reach: ObjectReach, publicId: string, part?: (size: number) => ByteRange | null): Promise<OpenFile> {
    const file = await this.get(reach, publicId);
    const range = part?.(file.bytes);
    if (range === null) return { file, first: 0, last: -1, stream: Readable.from([]) };
    const found = await mapDatabaseErrors(() => this.#blobs.get(file.blobId, reach.accountId, range));
    if (found === null) return noFile();
    return { file, first: found.first, last: found.last, stream: found.stream };
  }

  /**
   * Where the content can be downloaded without a key, for a short time: never log it. Null where it has to be read by `open`.
   * @throws SluiceError not_found
   */
  async linkTo(reach: ObjectReach, publicId: string): Promise<string | null> {
    const { blobId, filename } = await this.get(reach, publicId);
    return mapDatabaseErrors(() => this.#blobs.linkTo(blobId, reach.accountId, downloadHeaders(filename)));
  }

  /** As `open`, by the UUID, for the account's own work. */
  openById(accountId: string, id: string): Promise<OpenFile> {
    return this.open({ accountId, apiKeyId: null }, `file-${id.replaceAll('-', '')}`);
  }

  /** @throws SluiceError not_found if `after` is not found */
  list(reach: ObjectReach, { limit, order, after }: ListPageRequest, purpose: FilePurpose | null): Promise<FilePage> {
    return mapDatabaseErrors(async () => {
      const from = after === null ? null : await this.get(reach, after, 'after');
      if (limit === 0) return { rows: [], hasMore: false };
      const beyond = order === 'desc' ? '$lt' : '$gt';
      const now = new Date(this.#clock.now());
      const rows = await this.#database.em().find(
        StoredFile,
        {
          ...rowsWithin(reach),
          ...(purpose !== null && { purpose }),
          $and: [
            { $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] },
            from === null
              ? {}
              : {
                  $or: [
                    { createdAt: { [beyond]: from.createdAt } },
                    { createdAt: from.createdAt, id: { [beyond]: from.id } },
                  ],
                },
          ],
        },
        { orderBy: [{ createdAt: order }, { id: order }], limit: limit + 1 },
      );
      return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
    });
  }

  /** The files among these UUIDs. */
  byIds(reach: ObjectReach, ids: readonly string[]): Promise<StoredFile[]> {
    return mapDatabaseErrors(async () => {
      const rows = await this.#database.em().find(StoredFile, { ...rowsWithin(reach), id: { $in: [...ids] } });
      return rows.filter((row) => this.#isKept(row));
    });
  }

  storageOf(accountId: string): Promise<FileSpaceUsage> {
    return mapDatabaseErrors(() => this.space.usage(this.#database.em(), accountId));
  }

  /**
   * @param options.audited whether the audit log records it: not where a program cleans up what it uploaded
   * @throws SluiceError not_found
   */
  async remove(reach: ObjectReach, publicId: string, { audited = false } = {}): Promise<void> {
    const { id, blobId, filename } = await this.get(reach, publicId);
    const { accountId } = reach;
    await mapDatabaseErrors(() =>
      this.#database.em().transactional(async (em) => {
        const deleted = await em.nativeDelete(StoredFile, { id, ...rowsWithin(reach) });
        if (deleted === 0) noFile();
        // The sweep removes it where that fails below.
        await em.nativeUpdate(Blob, { id: blobId }, { expiresAt: new Date(this.#clock.now()) });
        if (!audited) return;
        recordAudit(em, { accountId, action: 'file.deleted', target: { type: 'file', id, label: filename } });
      }),
    );
    await mapDatabaseErrors(() => this.#blobs.delete(blobId, reach.accountId));
  }

  /** Removes expired files; their bytes expire by themselves. Called by a job. */
  async removeExpired(): Promise<void> {
    const expired = { expiresAt: { $lte: new Date(this.#clock.now()) } };
    await mapDatabaseErrors(async () => {
      for (;;) {
        const em = this.#database.em();
        const rows = await em.find(StoredFile, expired, { fields: ['id'], limit: EXPIRED_BATCH });
        if (rows.length > 0) await em.nativeDelete(StoredFile, { id: { $in: rows.map(({ id }) => id) } });
        if (rows.length < EXPIRED_BATCH) return;
      }
    });
  }

  /** Within the account's limit, which concurrent uploads cannot exceed together. */
  #claim(
    given: NewFile,
    { id: blobId, size }: { readonly id: string; readonly size: number },
    free?: (em: EntityManager) => Promise<void>,
  ): Promise<StoredFile> {
    const { accountId, apiKeyId, filename, purpose, lifetimeSeconds } = given;
    return this.#database.em().transactional(async (em) => {
      await this.space.claim(em, accountId, size, free);
      const account = em.getReference(Account, accountId);
      const now = this.#clock.now();
      const expiresAt = lifetimeSeconds === null ? null : new Date(now + lifetimeSeconds * 1_000);
      const file = em.create(StoredFile, {
        id: randomUUID(),
        account,
        apiKeyId,
        blobId,
        filename,
        purpose,
        bytes: size,
        createdAt: new Date(now),
        expiresAt,
      });
      await em.nativeUpdate(Blob, { id: blobId }, { expiresAt });
      await em.persist(file).flush();
      return file;
    });
  }

  /** An expired file is not found before it is removed. */
  #isKept({ expiresAt }: StoredFile): boolean {
    return expiresAt === null || expiresAt.getTime() > this.#clock.now();
  }
}

function noFile(param: string | null = null): never {
  throw new SluiceError('not_found', { param, values: { what: 'file' } });
}
