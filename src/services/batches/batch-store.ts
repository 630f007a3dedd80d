import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql.ts';
import { SluiceError } from '../../errors/index.ts';
import type {
  BatchOutcome,
  BatchProblem,
  BatchStore,
  CheckedFile,
  LeasedBatch,
  LineResult,
  ResultKind,
} from '../../gateway/batches/batch.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { FilesService } from '../files/files.service.ts';
import { BatchLeases } from './batch-leases.ts';
import { ResultFiles } from './result-files.ts';
import { MAX_FILE_BATCH_BYTES, RETENTION_MS } from './limits.ts';

/** Bytes of the results of one batch. */
const MAX_RESULT_BYTES = 64 * 1024 ** 3;

export interface StoredBatchesDependencies {
  readonly database: Database;
  readonly blobs: Pick<BlobStore, 'put' | 'get' | 'delete'>;
  readonly files: Pick<FilesService, 'open' | 'create'>;
  /** Called after a change that clients see. */
  readonly onChanged: (accountId: string, id: string) => void;
  readonly now: () => number;
}

const startLines = `
update batches set status = 'in_progress', started_at = clock_timestamp(), total = $2, input_blob_id = $3 where id = $1`;

const failBatch = `
update batches set status = 'failed', problems = $2::text::jsonb, ended_at = clock_timestamp(), lease_until = null where id = $1`;

const startFinish = `
update batches set status = 'finalizing', finalizing_at = coalesce(finalizing_at, clock_timestamp()),
  provider_succeeded = 0, provider_errored = 0
where id = $1`;

const endBatch = `
update batches set status = $2, ended_at = clock_timestamp(), results_blob_id = $3, input_blob_id = null, lease_until = null
where id = $1`;

/** Batches as the process that runs them stores them. */
export class StoredBatches extends BatchLeases implements BatchStore {
  readonly #dependencies: StoredBatchesDependencies;
  readonly #files: ResultFiles;

  constructor(dependencies: StoredBatchesDependencies) {
    super(dependencies.database);
    this.#dependencies = dependencies;
    this.#files = new ResultFiles(this, dependencies, MAX_RESULT_BYTES);
  }

  async validate(
    batch: LeasedBatch,
    check: (file: AsyncIterable<Uint8Array>) => CheckedFile,
  ): Promise<LeasedBatch | null> {
    const { accountId, inputFileId } = batch;
    const { blobs, files, now } = this.#dependencies;
    let checked: CheckedFile;
    let inputBlobId: string;
    try {
      const { stream } = await files.open({ accountId, apiKeyId: null }, inputFileId ?? '');
      checked = check(stream);
      const expiresAt = new Date(now() + RETENTION_MS);
      const sizeLimit = 2 * MAX_FILE_BATCH_BYTES;
      const meta = { accountId, contentType: 'application/jsonl', expiresAt, sizeLimit };
      inputBlobId = (await mapDatabaseErrors(() => blobs.put(checked.lines, meta))).id;
    } catch (error) {
      if (!(error instanceof SluiceError) || error.code !== 'not_found') throw error;
      await this.#fail(batch, [
        { code: 'invalid_input_file', message: 'The input file was deleted.', param: 'input_file_id', line: null },
      ]);
      return null;
    }
    const { total, problems } = checked;
    if (problems.length > 0) {
      await this.#fail(batch, problems);
      await blobs.delete(inputBlobId, accountId);
      return null;
    }
    const isHeld = await this.whileHeld(
      batch,
      async (client) => void (await client.query(startLines, [batch.id, total, inputBlobId])),
    );
    if (!isHeld) return null;
    this.#changed(batch);
    return { ...batch, status: 'in_progress', total, inputBlobId };
  }

  override async record(
    batch: LeasedBatch,
    results: readonly LineResult[],
    store?: (client: SqlClient) => Promise<void>,
  ): Promise<boolean> {
    const isHeld = await super.record(batch, results, store);
    if (isHeld) this.#changed(batch);
    return isHeld;
  }

  /** Batches of clients state their errors at the end. */
  async noteWait(_batch: LeasedBatch, _code: string): Promise<void> {}

  async readInput(batch: LeasedBatch, offset: number): Promise<AsyncIterable<Uint8Array>> {
    const { inputBlobId, accountId } = batch;
    const { blobs } = this.#dependencies;
    const range = { first: offset };
    const open = inputBlobId === null ? null : await mapDatabaseErrors(() => blobs.get(inputBlobId, accountId, range));
    if (open === null) throw new SluiceError('internal_error', { detail: 'the input of a batch is missing' });
    return open.stream;
  }

  async finish(
    batch: LeasedBatch,
    outcome: BatchOutcome,
    output: (kind: ResultKind) => AsyncIterable<Uint8Array>,
  ): Promise<boolean> {
    const isHeld = await this.whileHeld(batch, async (client) => void (await client.query(startFinish, [batch.id])));
    if (!isHeld) return false;
    this.#changed(batch);
    const { blobs } = this.#dependencies;
    const { accountId, inputBlobId } = batch;
    if (batch.protocol === 'openai') await this.#files.store(batch, output);
    const blobId = batch.protocol === 'anthropic' ? await this.#storeResults(batch, output('all')) : null;
    const isEnded = await this.whileHeld(batch, async (client) => {
      await client.query(endBatch, [batch.id, outcome, blobId]);
      await client.query('delete from batch_lines where batch_id = $1', [batch.id]);
      await client.query('delete from provider_batches where batch_id = $1', [batch.id]);
    });
    if (isEnded) this.#changed(batch);
    const unused = isEnded ? inputBlobId : blobId;
    if (unused !== null) await blobs.delete(unused, accountId);
    return isEnded;
  }

  async #storeResults({ accountId }: LeasedBatch, results: AsyncIterable<Uint8Array>): Promise<string> {
    const { blobs, now } = this.#dependencies;
    const expiresAt = new Date(now() + RETENTION_MS);
    const meta = { accountId, contentType: 'application/x-jsonl', expiresAt, sizeLimit: MAX_RESULT_BYTES };
    return (await blobs.put(results, meta)).id;
  }

  async #fail(batch: LeasedBatch, problems: readonly BatchProblem[]): Promise<void> {
    const values = [batch.id, JSON.stringify(problems)];
    const isHeld = await this.whileHeld(batch, async (client) => void (await client.query(failBatch, values)));
    if (isHeld) this.#changed(batch);
  }

  #changed({ accountId, id }: LeasedBatch): void {
    this.#dependencies.onChanged(accountId, id);
  }
}
