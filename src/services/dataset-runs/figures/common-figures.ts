import type { SqlClient } from '../../../database/sql.ts';
import { noFigures, summarizeCommon, type ModelFigures } from './run-summary.ts';

const countModels = 'select count(*)::int as models from dataset_run_models where run_id = $1 and judges is null';

const store = 'update dataset_run_models set common = $3::text::jsonb where run_id = $1 and position = $2';

/** Stores the figures of each model over the items that all models completed, of a run whose models have ended. */
export async function storeCommonFigures(client: SqlClient, runId: string): Promise<void> {
  const [{ models } = { models: 0 }] = (await client.query<{ models: number }>(countModels, [runId])).rows;
  const { rows } = await client.query<ModelFigures>(summarizeCommon, [[runId], models]);
  for (let position = 0; position < models; position++) {
    const figures = rows.find(({ model }) => model === position) ?? noFigures;
    await client.query(store, [runId, position, JSON.stringify(figures)]);
  }
}
