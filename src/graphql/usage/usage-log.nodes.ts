import type { UsageService } from '../../services/usage/usage.service.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toUsageLog } from './usage-log.mapping.ts';

/** Settled requests by their IDs. */
export function usageLogNodes(usage: Pick<UsageService, 'byIds'>): NodeLoaders {
  return {
    UsageLog: async (context, ids) => {
      const { accountId } = await context.require('usage.read');
      const rows = await usage.byIds(accountId, ids);
      return rows.map((row) => withTypename('UsageLog', toUsageLog(row)));
    },
  };
}
