import { randomUUID } from 'node:crypto';
import type { SqlClient } from '../../../database/sql.ts';
import type { BatchOutcome } from '../../../gateway/batches/batch.ts';
import type { RunBatch } from '../run-lines.ts';
import { endModel, insertBatch } from '../run-rows.ts';
import { noFigures } from '../figures/run-summary.ts';
import { judgeOf, skipOthers } from './judge-rows.ts';

interface Judge {
  readonly position: number;
  readonly items: number;
  readonly isCancelled: boolean;
  readonly hasOutputs: boolean;
}

/**
 * Creates the batch that judges the outputs of a model that has ended, as the key of the model's batch. Its requests are billed
 * once, as those of every batch. The caller has locked the run.
 * @returns false where there is nothing to judge
 */
export async function startJudge(client: SqlClient, batch: RunBatch, outcome: BatchOutcome): Promise<boolean> {
  const { datasetRunId: id, datasetRunModel: model, apiKeyId, memberId, isBySession } = batch;
  const [judge] = (await client.query<Judge>(judgeOf, [id, model])).rows;
  if (judge === undefined) return false;
  const { position, items, isCancelled, hasOutputs } = judge;
  const isOver = isCancelled || outcome === 'cancelled';
  if (isOver || !hasOutputs) {
    await client.query(endModel, [id, position, isOver ? 'cancelled' : 'completed', JSON.stringify(noFigures)]);
    return false;
  }
  const batchId = randomUUID();
  await client.query(insertBatch, [id, position, batchId, items, apiKeyId, memberId, isBySession]);
  await client.query(skipOthers, [batchId, id, model]);
  return true;
}
