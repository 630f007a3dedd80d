import type { RoutesService } from '../../services/routes/routes.service.ts';
import { rowsWithIds, withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toRoute } from './route.mapping.ts';

/** The account’s own routes by their IDs. */
export function routeNodes(accountRoutes: Pick<RoutesService, 'list'>): NodeLoaders {
  return {
    Route: async (context, ids) => {
      const { accountId } = await context.require('routes.read');
      const rows = await accountRoutes.list(accountId);
      return rowsWithIds(ids, rows).map((row) => withTypename('Route', toRoute(row)));
    },
  };
}
