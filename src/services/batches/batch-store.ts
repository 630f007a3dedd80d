import type { BatchOutcome, BatchStore, LeasedBatch, ResultKind } from '../../gateway/batches/batch.ts';
import { SluiceError } from '../../errors/index.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { Database } from '../../database/database.ts';
import { BatchLeases } from './batch-leases.ts';
import { RETENTION_MS } from './batches.service.ts';

/** Bytes of the results of one batch. */
const MAX_RESULT_BYTES = 64 * 1024 ** 3;

export interface StoredBatchesDependencies {
  readonly database: Database;
  readonly blobs: Pick<BlobStore, 'put' | 'get' | 'delete'>;
  readonly now: () => number;
}

const endBatch = `
update batches set status = $2, ended_at = clock_timestamp(), results_blob_id = $3, input_blob_id = null, lease_until = null
where id = $1`;

/** Batches as the process that runs them stores them. */
export class StoredBatches extends BatchLeases implements BatchStore {
  readonly #dependencies: StoredBatchesDependencies;

  constructor(dependencies: StoredBatchesDependencies) {
    super(dependencies.database);
    this.#dependencies = dependencies;
  }

  async validate(_batch: LeasedBatch): Promise<LeasedBatch | null> {
    return null;
  }

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
  ): Promise<void> {
    const text =
      "update batches set status = 'finalizing', finalizing_at = coalesce(finalizing_at, clock_timestamp()) where id = $1";
    const isHeld = await this.whileHeld(batch, async (client) => void (await client.query(text, [batch.id])));
    if (!isHeld) return;
    const { blobs, now } = this.#dependencies;
    const expiresAt = new Date(now() + RETENTION_MS);
    const { accountId, inputBlobId } = batch;
    const meta = { accountId, contentType: 'application/x-jsonl', expiresAt, sizeLimit: MAX_RESULT_BYTES };
    const blob = await blobs.put(output('all'), meta);
    const isEnded = await this.whileHeld(batch, async (client) => {
      await client.query(endBatch, [batch.id, outcome, blob.id]);
      await client.query('delete from batch_lines where batch_id = $1', [batch.id]);
    });
    await blobs.delete((isEnded ? inputBlobId : blob.id) ?? blob.id, accountId);
  }
}
