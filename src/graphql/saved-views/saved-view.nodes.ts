import type { SavedViewsService } from '../../services/saved-views/saved-views.service.ts';
import { rowsWithIds, withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toSavedView, viewReader } from './saved-view.mapping.ts';

/** Saved views by their IDs. */
export function savedViewNodes(views: Pick<SavedViewsService, 'list'>): NodeLoaders {
  return {
    SavedView: async (context, ids) => {
      const reader = viewReader(await context.require('usage.read'));
      const rows = rowsWithIds(ids, await views.list(reader));
      return rows.map((row) => withTypename('SavedView', toSavedView(row, reader)));
    },
  };
}
