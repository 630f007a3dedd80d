import type { BudgetsService } from '../../services/budgets/budgets.service.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toBudgetStatus } from './budget.mapping.ts';

/** Budgets by their IDs. */
export function budgetNodes(budgets: Pick<BudgetsService, 'list'>): NodeLoaders {
  return {
    Budget: async (context, ids) => {
      const { accountId } = await context.require('budgets.read');
      const views = (await budgets.list(accountId)).filter(({ known }) => ids.includes(known.rowId));
      return views.map((view) => withTypename('BudgetStatus', toBudgetStatus(view)));
    },
  };
}
