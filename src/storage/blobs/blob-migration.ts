import type { Database } from '../../database/database.ts';
import type { BlobFiles } from './blob-files.ts';
import { objectKeyOf } from './object-key.ts';
import { workConcurrently } from './work-concurrently.ts';

export type StoragePlace = 'folder' | 's3';

export interface BlobMigrationOptions {
  readonly database: Pick<Database, 'query'>;
  readonly folder: BlobFiles;
  readonly bucket: BlobFiles;
  readonly from: StoragePlace;
  /** Called after each blob. */
  readonly onProgress?: (progress: MigrationProgress) => void;
  /** Called for each blob that was not moved. */
  readonly onFailure?: (blobId: string, reason: string) => void;
}

export interface MigrationProgress {
  readonly moved: number;
  readonly movedBytes: number;
  readonly failed: number;
}

/** What is left to move. */
export interface MigrationSize {
  readonly blobs: number;
  readonly bytes: number;
}

interface Row {
  readonly id: string;
  readonly account_id: string | null;
  readonly content_type: string;
  readonly size: string;
  readonly sha256: Buffer;
  readonly object_key: string | null;
}

const BATCH_ROWS = 200;
const MAX_CONCURRENT_MOVES = 4;

/** Files of expired blobs are removed where they are. */
const isLeft = (from: StoragePlace): string =>
  `object_key is ${from === 'folder' ? '' : 'not '}null and (expires_at is null or expires_at > now())`;

/**
 * Moves the files of blobs between the folder and the bucket, while servers run that can read both. A file is copied, compared with
 * the size and the SHA-256 of its row, and then the row refers to the copy; only after that the original is removed. So each row
 * refers to a complete file at every moment, and a migration that was interrupted continues where it ended. Several runs at once do
 * no harm.
 */
export class BlobMigration {
  readonly #options: BlobMigrationOptions;
  readonly #source: BlobFiles;
  readonly #target: BlobFiles;
  #moved = 0;
  #movedBytes = 0;
  #failed = 0;

  constructor(options: BlobMigrationOptions) {
    this.#options = options;
    const { from, folder, bucket } = options;
    this.#source = from === 'folder' ? folder : bucket;
    this.#target = from === 'folder' ? bucket : folder;
  }

  async size(): Promise<MigrationSize> {
    const { database, from } = this.#options;
    const text = `select count(*)::text as blobs, coalesce(sum(size), 0)::text as bytes from blobs where ${isLeft(from)}`;
    const [total] = await database.query<{ blobs: string; bytes: string }>(text);
    return { blobs: Number(total?.blobs ?? 0), bytes: Number(total?.bytes ?? 0) };
  }

  /**
   * Stops between blobs when `signal` aborts.
   * @throws SluiceError storage_unavailable | database errors: it can be run again
   */
  async run(signal?: AbortSignal): Promise<MigrationProgress> {
    await this.#removeLeftovers(signal);
    let after = '00000000-0000-0000-0000-000000000000';
    for (let rows: Row[] | null = null; (rows === null || rows.length === BATCH_ROWS) && !signal?.aborted;) {
      rows = await this.#next(after);
      after = rows.at(-1)?.id ?? after;
      await workConcurrently(rows, MAX_CONCURRENT_MOVES, async (row) => {
        if (!signal?.aborted) await this.#moveOne(row);
      });
    }
    return this.#progress;
  }

  get #progress(): MigrationProgress {
    return { moved: this.#moved, movedBytes: this.#movedBytes, failed: this.#failed };
  }

  #next(after: string): Promise<Row[]> {
    const { database, from } = this.#options;
    const text = `select id, account_id, content_type, size::text as size, sha256, object_key from blobs where id > $1 and ${isLeft(from)} order by id limit ${BATCH_ROWS}`;
    return database.query<Row>(text, [after]);
  }

  async #moveOne(row: Row): Promise<void> {
    const reason = await this.#move(row);
    if (reason === null) {
      this.#moved++;
      this.#movedBytes += Number(row.size);
    } else if (await this.#isStillThere(row)) {
      this.#failed++;
      this.#options.onFailure?.(row.id, reason);
    }
    this.#options.onProgress?.(this.#progress);
  }

  /** @returns why the file was not moved; null where it was */
  async #move(row: Row): Promise<string | null> {
    const { from } = this.#options;
    const key =
      from === 'folder' ? objectKeyOf({ id: row.id, accountId: row.account_id, contentType: row.content_type }) : null;
    const source = row.object_key ?? row.id;
    const target = key ?? row.id;
    const size = Number(row.size);
    const content = size === 0 ? Buffer.alloc(0) : await this.#source.open(source, { first: 0, last: size - 1 });
    if (content === null) return `there is no such file in the ${from === 'folder' ? 'folder' : 'bucket'}`;
    const written = await this.#target.write(target, content, Infinity);
    if (written.size !== size || !written.sha256.equals(row.sha256)) {
      await written.discard();
      return `its content differs from its checksum (${written.size} of ${size} bytes)`;
    }
    try {
      await written.commit();
    } catch (error) {
      await written.discard();
      throw error;
    }
    const stored = await this.#target.sizeOf(target);
    if (stored !== size) return `the copy has ${stored ?? 0} of ${size} bytes`;
    if (!(await this.#refer(row, key))) {
      // Moved by another run, the row refers to this copy.
      if (!(await this.#hasRow(row))) await this.#target.remove(target);
      return 'it was deleted or moved meanwhile';
    }
    await this.#source.remove(source);
    return null;
  }

  /** False if the blob was deleted or moved meanwhile. */
  async #refer(row: Row, key: string | null): Promise<boolean> {
    const text = 'update blobs set object_key = $2 where id = $1 and object_key is not distinct from $3 returning id';
    return (await this.#options.database.query(text, [row.id, key, row.object_key])).length > 0;
  }

  async #hasRow({ id }: Row): Promise<boolean> {
    return (await this.#options.database.query('select id from blobs where id = $1', [id])).length > 0;
  }

  async #isStillThere(row: Row): Promise<boolean> {
    const text = 'select id from blobs where id = $1 and object_key is not distinct from $2';
    return (await this.#options.database.query(text, [row.id, row.object_key])).length > 0;
  }

  /** Originals of blobs whose rows refer to their copies: an earlier run was interrupted before it removed them. */
  async #removeLeftovers(signal: AbortSignal | undefined): Promise<void> {
    const { database, from } = this.#options;
    const moved = `select id from blobs where id = any($1::uuid[]) and object_key is ${from === 'folder' ? 'not ' : ''}null`;
    for await (const page of this.#source.list()) {
      if (signal?.aborted) return;
      const rows = await database.query<{ id: string }>(moved, [page.map(({ id }) => id)]);
      const ids = new Set(rows.map(({ id }) => id));
      const files = page.filter(({ id }) => ids.has(id));
      await workConcurrently(files, MAX_CONCURRENT_MOVES, ({ name }) => this.#source.remove(name));
    }
  }
}
