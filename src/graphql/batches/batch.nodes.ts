import type { BatchesService } from '../../services/batches/batches.service.ts';
import { accountReach } from '../../services/object-reach.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toBatch } from './batch.mapping.ts';

/** Batches by their IDs. */
export function batchNodes(batches: Pick<BatchesService, 'byIds'>): NodeLoaders {
  return {
    Batch: async (context, ids) => {
      const { accountId } = await context.require('batches.read');
      const rows = await batches.byIds(accountReach(accountId), ids);
      return rows.map((row) => withTypename('Batch', toBatch(row)));
    },
  };
}
