import type { SqlClient } from '../../database/sql.ts';
import { storeCommonFigures } from './figures/common-figures.ts';
import { meterAll } from './figures/meter-outputs.ts';
import { endModel } from './run-rows.ts';
import { noFigures, summarize, type ModelFigures } from './figures/run-summary.ts';

/** In the order in which the end of a batch locks them. */
const deleteBatches = `
delete from batches where dataset_run_id in (select id from dataset_runs where dataset_id = $1)`;

const lockRuns = `
select id, account_id as "accountId", ended_at is null as "isOpen"
from dataset_runs where dataset_id = $1 order by id for update`;

const openModels = 'select position from dataset_run_models where run_id = $1 and (outcome is null or summary is null)';

const endAll = `
update dataset_runs set ended_at = coalesce(ended_at, clock_timestamp()), outcome = coalesce(outcome, 'cancelled'), bytes = 0
where dataset_id = $1`;

const deleteContent = (table: 'items' | 'outputs'): string =>
  `delete from dataset_run_${table} where run_id in (select id from dataset_runs where dataset_id = $1)`;

interface LockedRun {
  readonly id: string;
  readonly accountId: string;
  readonly isOpen: boolean;
}

/** Ends the runs of a dataset that is deleted, and deletes their content. Their figures remain. */
export async function endRuns(client: SqlClient, datasetId: string): Promise<void> {
  await client.query(deleteBatches, [datasetId]);
  const { rows: runs } = await client.query<LockedRun>(lockRuns, [datasetId]);
  // A model that ended in the meantime has started its judge.
  await client.query(deleteBatches, [datasetId]);
  for (const run of runs.filter(({ isOpen }) => isOpen)) await endModels(client, run);
  await client.query(endAll, [datasetId]);
  await client.query(deleteContent('items'), [datasetId]);
  await client.query(deleteContent('outputs'), [datasetId]);
}

async function endModels(client: SqlClient, { id, accountId }: LockedRun): Promise<void> {
  const { rows: models } = await client.query<{ position: number }>(openModels, [id]);
  for (const { position } of models) await meterAll(client, { accountId, datasetRunId: id, datasetRunModel: position });
  const { rows: figures } = await client.query<ModelFigures>(summarize, [[id], null]);
  for (const { position } of models) {
    const summary = figures.find(({ model }) => model === position) ?? noFigures;
    await client.query(endModel, [id, position, 'cancelled', JSON.stringify(summary)]);
  }
  await storeCommonFigures(client, id);
}
