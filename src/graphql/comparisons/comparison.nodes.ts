import { laneTexts } from '../../services/comparisons/comparison-views.ts';
import type { ComparisonsService } from '../../services/comparisons/comparisons.service.ts';
import { selectedFields } from '../operation/selected-fields.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toComparison, voterOf } from './comparison.mapping.ts';

/** Comparisons by their IDs. */
export function comparisonNodes(comparisons: Pick<ComparisonsService, 'byIds' | 'linkTo'>): NodeLoaders {
  return {
    Comparison: async (context, ids, info) => {
      const caller = await context.require('comparisons.read');
      const views = await comparisons.byIds(caller.accountId, ids, selectedFields(info, laneTexts));
      return views.map((view) => withTypename('Comparison', toComparison(view, voterOf(caller), comparisons.linkTo)));
    },
  };
}
