import type { ConnectionsService } from '../../services/connections/connections.service.ts';
import { rowsWithIds, withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toProviderCredential } from './connection.mapping.ts';

/** Provider connections by their IDs. */
export function connectionNodes(connections: Pick<ConnectionsService, 'list'>): NodeLoaders {
  return {
    ProviderCredential: async (context, ids) => {
      const { accountId } = await context.require('connections.read');
      const rows = await connections.list(accountId);
      return rowsWithIds(ids, rows).map((row) => withTypename('ProviderCredential', toProviderCredential(row)));
    },
  };
}
