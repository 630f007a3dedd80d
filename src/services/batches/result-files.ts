import type { LeasedBatch, ResultKind } from '../../gateway/batches/batch.ts';
import { publicFileId } from '../files/file-id.ts';
import type { FilesService } from '../files/files.service.ts';
import type { BatchLeases } from './batch-leases.ts';
import { publicBatchId } from './batch-id.ts';
import { RETENTION_MS } from './limits.ts';

export interface ResultFilesDependencies {
  readonly files: Pick<FilesService, 'create'>;
}

interface Stored {
  readonly total: number;
  readonly succeeded: number;
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
}

const read = `
select total, succeeded, output_file_id as "outputFileId", error_file_id as "errorFileId" from batches where id = $1`;

const columns = { output: 'output_file_id', errors: 'error_file_id' } as const;

/** The results of a batch as files of its account: those of requests that succeeded, and the others. */
export class ResultFiles {
  readonly #leases: Pick<BatchLeases, 'whileHeld'>;
  readonly #dependencies: ResultFilesDependencies;
  readonly #maxBytes: number;

  constructor(leases: Pick<BatchLeases, 'whileHeld'>, dependencies: ResultFilesDependencies, maxBytes: number) {
    this.#leases = leases;
    this.#dependencies = dependencies;
    this.#maxBytes = maxBytes;
  }

  /** Idempotent. @throws SluiceError file_storage_full while the account has no room for them */
  async store(batch: LeasedBatch, output: (kind: ResultKind) => AsyncIterable<Uint8Array>): Promise<void> {
    const rows: Stored[] = [];
    await this.#leases.whileHeld(batch, async (client) => {
      rows.push(...(await client.query<Stored>(read, [batch.id])).rows);
    });
    const [stored] = rows;
    if (stored === undefined) return;
    const { total, succeeded, outputFileId, errorFileId } = stored;
    if (succeeded > 0 && outputFileId === null) await this.#storeOne(batch, 'output', output('output'));
    if (succeeded < total && errorFileId === null) await this.#storeOne(batch, 'errors', output('errors'));
  }

  async #storeOne(batch: LeasedBatch, kind: keyof typeof columns, lines: AsyncIterable<Uint8Array>): Promise<void> {
    const { files } = this.#dependencies;
    const { id, accountId, apiKeyId, outputSeconds } = batch;
    const given = {
      accountId,
      apiKeyId,
      filename: `${publicBatchId('openai', id)}_${kind}.jsonl`,
      purpose: 'batch_output',
      lifetimeSeconds: outputSeconds ?? RETENTION_MS / 1_000,
    } as const;
    const file = await files.create(given, lines, this.#maxBytes);
    const text = `update batches set ${columns[kind]} = $2 where id = $1`;
    await this.#leases.whileHeld(batch, async (client) => void (await client.query(text, [id, publicFileId(file.id)])));
  }
}
