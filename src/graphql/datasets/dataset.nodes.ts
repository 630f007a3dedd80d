import type { DatasetReader } from '../../services/datasets/dataset-reader.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { isContentSelected } from './content-selected.ts';
import { toDataset, toDatasetItem } from './dataset.mapping.ts';

/** Datasets and their items by their IDs. */
export function datasetNodes(datasets: Pick<DatasetReader, 'byIds' | 'itemsByIds'>): NodeLoaders {
  return {
    Dataset: async (context, ids) => {
      const { accountId } = await context.require('datasets.read');
      return (await datasets.byIds(accountId, ids)).map((row) => withTypename('Dataset', toDataset(row)));
    },
    DatasetItem: async (context, ids, info) => {
      const { accountId } = await context.require('datasets.read');
      const { datasetContent: budget } = await context.loaders();
      const withContent = isContentSelected(info);
      const items = await datasets.itemsByIds(accountId, ids, { withContent, budget });
      return items.map((item) => withTypename('DatasetItem', toDatasetItem(item)));
    },
  };
}
