import type { RunReader } from '../../services/dataset-runs/run-reader.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toDatasetRun } from './dataset-run.mapping.ts';

/** Dataset runs by their IDs. */
export function datasetRunNodes(runs: Pick<RunReader, 'byIds'>): NodeLoaders {
  return {
    DatasetRun: async (context, ids) => {
      const { accountId } = await context.require('datasets.read');
      return (await runs.byIds(accountId, ids)).map((row) => withTypename('DatasetRun', toDatasetRun(row)));
    },
  };
}
