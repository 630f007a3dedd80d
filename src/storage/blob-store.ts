import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Database } from '../database/database.ts';
import { Account, Blob } from '../database/entities/index.ts';
import { SluiceError } from '../errors/index.ts';

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

const idForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const sweepBatch = 500;
/** An incoming file of this age has lost its writer. */
const abandonedMs = 24 * 3_600_000;

/**
 * Files in a folder, with metadata in rows. A file is complete before its id is returned, and a row is deleted only after its
 * file: the sweep repairs interrupted operations.
 */
export class BlobStore {
  readonly #database: Database;
  readonly #folder: string;
  readonly #incoming: string;

  constructor(database: Database, folder: string) {
    this.#database = database;
    this.#folder = folder;
    this.#incoming = join(folder, 'incoming');
  }

  /** @throws SluiceError request_too_large; nothing is stored then, or if the source fails */
  async put(content: Uint8Array | AsyncIterable<Uint8Array>, meta: NewBlob): Promise<StoredBlob> {
    const id = randomUUID();
    const draft = join(this.#incoming, id);
    await mkdir(this.#incoming, { recursive: true, mode: 0o700 });
    try {
      const written = await write(content, draft, meta.sizeLimit);
      const em = this.#database.em();
      const row = em.create(Blob, {
        id,
        account: meta.accountId === null ? null : em.getReference(Account, meta.accountId),
        contentType: meta.contentType,
        expiresAt: meta.expiresAt,
        ...written,
      });
      await em.persist(row).flush();
      await this.#accept(id).catch(async (error: unknown) => {
        await this.#database.em().nativeDelete(Blob, { id });
        throw error;
      });
      return describe(row);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /**
   * Null if the account has no such file, or it has expired.
   * @throws RangeError if the range starts after the last byte
   */
  async get(id: string, accountId: string | null, range?: ByteRange): Promise<OpenBlob | null> {
    return this.#open(await this.#find(id, { account: accountId }), range);
  }

  /**
   * As `get`, not restricted to an account: for requests with a verified signed link.
   * @param part selects the range for the file's size; null for none, all where absent
   */
  async getUnscoped(id: string, part?: (size: number) => ByteRange | null): Promise<OpenBlob | null> {
    const blob = await this.#find(id, {});
    return this.#open(blob, blob === null ? undefined : part?.(blob.size));
  }

  /** False if the account has no such file. */
  async delete(id: string, accountId: string | null): Promise<boolean> {
    if ((await this.#find(id, { account: accountId })) === null) return false;
    await this.#remove([id]);
    return true;
  }

  /**
   * Removes files that expired by `now`, and those of interrupted writers.
   * @returns the number of removed files @throws after all others are removed, where some cannot be
   */
  async sweep(now: Date): Promise<number> {
    const failures: unknown[] = [];
    await this.#sweepIncoming(now, failures).catch((error: unknown) => failures.push(error));
    let removed = 0;
    for (let ids: string[] | null = null; ids === null || ids.length === sweepBatch;) {
      const following: object = ids === null ? {} : { id: { $gt: ids.at(-1) } };
      const expired = await this.#database
        .em()
        .find(
          Blob,
          { expiresAt: { $lte: now }, ...following },
          { fields: ['id'], orderBy: { id: 'asc' }, limit: sweepBatch, disableIdentityMap: true },
        );
      ids = expired.map(({ id }) => id);
      removed += await this.#removeEach(ids, failures);
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some expired files could not be removed');
    return removed;
  }

  async #removeEach(ids: readonly string[], failures: unknown[]): Promise<number> {
    const results = await Promise.allSettled(ids.map((id) => rm(this.#path(id), { force: true })));
    for (const result of results) if (result.status === 'rejected') failures.push(result.reason);
    const gone = ids.filter((_id, at) => results[at]?.status === 'fulfilled');
    await this.#database.em().nativeDelete(Blob, { id: { $in: gone } });
    return gone.length;
  }

  async #sweepIncoming(now: Date, failures: unknown[]): Promise<void> {
    for (const id of await namesIn(this.#incoming))
      await this.#repair(id, now).catch((error: unknown) => failures.push(error));
  }

  /** A file with a row only needs to be moved; one without was never completed. */
  async #repair(id: string, now: Date): Promise<void> {
    const touched = await stat(join(this.#incoming, id)).catch(() => null);
    if (touched === null || now.getTime() - touched.mtimeMs < abandonedMs) return;
    const known = idForm.test(id) && (await this.#database.em().count(Blob, { id })) > 0;
    await (known ? this.#accept(id) : rm(join(this.#incoming, id), { force: true }));
  }

  async #accept(id: string): Promise<void> {
    const [draft, path] = [join(this.#incoming, id), this.#path(id)];
    try {
      await rename(draft, path);
    } catch {
      // Usually the folder exists.
      await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
      await rename(draft, path);
    }
  }

  async #find(id: string, owner: { readonly account?: string | null }): Promise<StoredBlob | null> {
    if (!idForm.test(id)) return null;
    const row = await this.#database.em().findOne(Blob, { id, ...owner });
    return row && describe(row);
  }

  /** The file is opened first, because its row may outlive it. */
  async #open(blob: StoredBlob | null, range: ByteRange | null = { first: 0 }): Promise<OpenBlob | null> {
    if (blob === null || (blob.expiresAt !== null && blob.expiresAt <= new Date())) return null;
    const isEmpty = range === null || (blob.size === 0 && range.first === 0);
    if (isEmpty) return { blob, first: 0, last: -1, stream: Readable.from([]) };
    const last = Math.min(range.last ?? Infinity, blob.size - 1);
    if (range.first < 0 || range.first > last) throw new RangeError(`The blob has ${blob.size} bytes.`);
    const file = await open(this.#path(blob.id)).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    });
    if (file === null) return null;
    const stream = file.createReadStream({ start: range.first, end: last });
    // A caller that does not read the stream need not handle its errors.
    stream.on('error', () => undefined);
    return { blob, first: range.first, last, stream };
  }

  async #remove(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => rm(this.#path(id), { force: true })));
    await this.#database.em().nativeDelete(Blob, { id: { $in: [...ids] } });
  }

  /** Built from a validated id; two characters distribute the files over folders. */
  #path(id: string): string {
    if (!idForm.test(id)) throw new Error('The blob id is invalid.');
    return join(this.#folder, id.slice(0, 2), id);
  }
}

async function write(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  path: string,
  limit: number,
): Promise<{ size: number; sha256: Buffer }> {
  const hash = createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.byteLength;
      if (size > limit) {
        done(new SluiceError('request_too_large', { values: { limit } }));
        return;
      }
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const source = content instanceof Uint8Array ? Readable.from([content]) : content;
  await pipeline(source, measure, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
  return { size, sha256: hash.digest() };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function describe(row: Blob): StoredBlob {
  const { id, account, contentType, size, sha256, createdAt, expiresAt } = row;
  return { id, accountId: account?.id ?? null, contentType, size, sha256, createdAt, expiresAt };
}
