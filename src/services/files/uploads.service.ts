import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { Account, Upload, UploadPart, type StoredFile } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { rowsWithin } from '../object-reach.ts';
import { readPartId, readUploadId } from './file-id.ts';
import type { FilesService } from './files.service.ts';
import { lifetimeOf, readFilePurpose, type FilePurpose } from './new-file.ts';
import { MAX_PART_BYTES, MAX_PARTS } from './upload-limits.ts';

const LIFETIME_MS = 3_600_000;
/** An upload whose completion began before it expired keeps its parts so long. */
const GRACE_MS = 3_600_000;

export interface NewUpload {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly filename: string;
  readonly purpose: FilePurpose;
  readonly bytes: number;
  /** How long the file is kept; null for the default of its purpose. */
  readonly fileSeconds: number | null;
}

export interface UploadCompletion {
  readonly partIds: readonly string[];
  /** Of the whole content, as lowercase hex; null if it is not checked. */
  readonly md5: string | null;
}

interface UploadsDependencies {
  readonly database: Database;
  readonly blobs: Pick<BlobStore, 'put' | 'get' | 'delete'>;
  readonly files: Pick<FilesService, 'create' | 'space'>;
  readonly clock?: Clock;
}

/**
 * Files that clients send in parts. Every part is a blob; they are joined as a stream. Every method also throws SluiceError
 * database_unavailable, and not_found for an upload that the caller may not access.
 */
export class UploadsService {
  readonly #database: Database;
  readonly #blobs: UploadsDependencies['blobs'];
  readonly #files: UploadsDependencies['files'];
  readonly #clock: Clock;

  constructor({ database, blobs, files, clock = systemClock }: UploadsDependencies) {
    this.#database = database;
    this.#blobs = blobs;
    this.#files = files;
    this.#clock = clock;
  }

  /** @throws SluiceError file_storage_full */
  create({ accountId, ...given }: NewUpload): Promise<Upload> {
    return mapDatabaseErrors(async () => {
      const em = this.#database.em();
      await this.#files.space.require(em, accountId, given.bytes);
      const now = this.#clock.now();
      const upload = em.create(Upload, {
        ...given,
        account: em.getReference(Account, accountId),
        createdAt: new Date(now),
        expiresAt: new Date(now + LIFETIME_MS),
      });
      await em.persist(upload).flush();
      return upload;
    });
  }

  /** @throws SluiceError upload_not_pending | request_too_large | file_storage_full | array_above_max_length */
  async addPart(
    reach: ObjectReach,
    publicId: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
  ): Promise<UploadPart> {
    const { accountId } = reach;
    const { id, expiresAt } = await this.#pending(reach, publicId);
    const blob = await this.#blobs.put(content, {
      accountId,
      contentType: 'application/octet-stream',
      expiresAt: new Date(expiresAt.getTime() + GRACE_MS),
      sizeLimit: MAX_PART_BYTES,
    });
    const addRow = async (em: EntityManager): Promise<UploadPart> => {
      await this.#files.space.claim(em, accountId, blob.size);
      const upload = await this.#stillPending(em, id);
      if ((await em.count(UploadPart, { upload })) >= MAX_PARTS)
        throw new SluiceError('array_above_max_length', { param: 'data', values: { limit: MAX_PARTS } });
      const part = em.create(UploadPart, {
        account: em.getReference(Account, accountId),
        upload,
        blobId: blob.id,
        bytes: blob.size,
        createdAt: new Date(this.#clock.now()),
      });
      await em.persist(part).flush();
      return part;
    };
    try {
      return await mapDatabaseErrors(() => this.#database.em().transactional(addRow));
    } catch (error) {
      // It expires where that fails, too.
      await this.#blobs.delete(blob.id, accountId).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Joins the parts in the given order.
   * @throws SluiceError upload_not_pending | invalid_value, naming the member
   */
  async complete(
    reach: ObjectReach,
    publicId: string,
    { partIds, md5 }: UploadCompletion,
  ): Promise<{ upload: Upload; file: StoredFile }> {
    const { id } = await this.#pending(reach, publicId);
    const parts = await mapDatabaseErrors(() => this.#database.em().find(UploadPart, { upload: id }));
    // Another completion removes the parts: if it is pending still, all of them were read.
    const pending = await this.#pending(reach, publicId);
    const { bytes, filename, apiKeyId, fileSeconds } = pending;
    const chosen = chooseParts(parts, partIds, bytes);
    const purpose = readFilePurpose(pending.purpose);
    const lifetimeSeconds = lifetimeOf(fileSeconds, purpose);
    const given = { accountId: reach.accountId, apiKeyId, filename, purpose, lifetimeSeconds };
    const file = await this.#files.create(given, this.#joined(chosen, reach.accountId, md5), bytes, async (em) => {
      const upload = await this.#stillPending(em, id, GRACE_MS);
      await em.nativeDelete(UploadPart, { upload: id });
      upload.status = 'completed';
    });
    await this.#removeBlobs(parts, reach.accountId);
    return { upload: await this.#get(reach, publicId), file };
  }

  /** @throws SluiceError upload_not_pending */
  async cancel(reach: ObjectReach, publicId: string): Promise<Upload> {
    const { id } = await this.#pending(reach, publicId);
    const { accountId } = reach;
    const parts = await mapDatabaseErrors(() =>
      this.#database.em().transactional(async (em) => {
        await lockAccount(em, accountId);
        const upload = await this.#stillPending(em, id);
        const rows = await em.find(UploadPart, { upload });
        await em.nativeDelete(UploadPart, { upload: id });
        upload.status = 'cancelled';
        return rows;
      }),
    );
    await this.#removeBlobs(parts, accountId);
    return this.#get(reach, publicId);
  }

  /** Removes uploads that are over; the bytes of their parts expire by themselves. Called by a job. */
  async removeExpired(): Promise<void> {
    const over = new Date(this.#clock.now() - GRACE_MS);
    await mapDatabaseErrors(() => this.#database.em().nativeDelete(Upload, { expiresAt: { $lte: over } }));
  }

  #get(reach: ObjectReach, publicId: string): Promise<Upload> {
    return mapDatabaseErrors(async () => {
      const id = readUploadId(publicId);
      const upload = id === null ? null : await this.#database.em().findOne(Upload, { id, ...rowsWithin(reach) });
      return upload ?? noUpload();
    });
  }

  async #pending(reach: ObjectReach, publicId: string): Promise<Upload> {
    const upload = await this.#get(reach, publicId);
    this.#requirePending(upload);
    return upload;
  }

  /** In a transaction that has the account's lock, which serializes the changes of its uploads. */
  async #stillPending(em: EntityManager, id: string, graceMs = 0): Promise<Upload> {
    const upload = (await em.findOne(Upload, { id }, { refresh: true })) ?? noUpload();
    this.#requirePending(upload, graceMs);
    return upload;
  }

  #requirePending({ status, expiresAt }: Upload, graceMs = 0): void {
    const isOver = expiresAt.getTime() + graceMs <= this.#clock.now();
    if (status !== 'pending') throw new SluiceError('upload_not_pending', { values: { status } });
    if (isOver) throw new SluiceError('upload_not_pending', { values: { status: 'expired' } });
  }

  async *#joined(parts: readonly UploadPart[], accountId: string, md5: string | null): AsyncIterable<Uint8Array> {
    const hash = md5 === null ? null : createHash('md5');
    for (const { blobId } of parts) {
      const open = await mapDatabaseErrors(() => this.#blobs.get(blobId, accountId));
      if (open === null) throw new SluiceError('upload_not_pending', { values: { status: 'completed or cancelled' } });
      for await (const chunk of open.stream) {
        hash?.update(chunk);
        yield chunk;
      }
    }
    if (hash !== null && hash.digest('hex') !== md5) throw invalid('md5', 'the parts have another MD5 checksum.');
  }

  async #removeBlobs(parts: readonly UploadPart[], accountId: string): Promise<void> {
    for (const { blobId } of parts) await mapDatabaseErrors(() => this.#blobs.delete(blobId, accountId));
  }
}

/** The parts with these ids, in their order. @throws SluiceError invalid_value */
function chooseParts(parts: readonly UploadPart[], partIds: readonly string[], bytes: number): UploadPart[] {
  const byId = new Map(parts.map((part) => [part.id, part]));
  const chosen = partIds.map((given, index) => {
    const partId = readPartId(given);
    const part = partId === null ? undefined : byId.get(partId);
    if (partId === null || part === undefined)
      throw invalid(`part_ids[${index}]`, 'the upload has no such part, or it occurs twice.');
    byId.delete(partId);
    return part;
  });
  const total = chosen.reduce((sum, part) => sum + part.bytes, 0);
  if (total !== bytes) throw invalid('part_ids', `the parts have ${total} bytes, but the upload has ${bytes}.`);
  return chosen;
}

function noUpload(): never {
  throw new SluiceError('not_found', { values: { what: 'upload' } });
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
