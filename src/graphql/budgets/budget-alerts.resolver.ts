import { Ctx, Resolver, Root, Subscription } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { PassedThreshold } from '../../services/budgets/budget-alerts.ts';
import { RequiresAtStart } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { usd } from '../scalars/money.type.ts';
import { subscription, type SubscribeInput } from '../subscription.ts';
import { toBudgetStatus } from './budget.mapping.ts';
import { BudgetAlert } from './budget.types.ts';

@Resolver()
export class BudgetAlertsResolver {
  @RequiresAtStart('budgets.read')
  @Subscription(() => BudgetAlert, {
    description:
      'Alerts when a budget of the account reaches one of its thresholds, on any instance. For guaranteed delivery, use the webhook event `budget.alert`.',
    subscribe: subscription(subscribe),
  })
  async budgetAlerts(@Root() passed: PassedThreshold, @Ctx() context: GraphqlContext): Promise<BudgetAlert> {
    const { known, percent, spentNano, at } = passed;
    const all = await context.services.budgets.list(known.budget.accountId);
    const view = all.find((each) => each.known.rowId === known.rowId);
    // It was removed in the meantime.
    if (view === undefined) throw new SluiceError('not_found', { values: { what: 'budget' } });
    return { budget: toBudgetStatus(view), percent, spent: usd(spentNano), at: new Date(at) };
  }
}

async function subscribe({ context, signal }: SubscribeInput<object>): Promise<AsyncIterableIterator<PassedThreshold>> {
  const { accountId } = await context.require('budgets.read');
  return context.services.passedThresholds.subscribe(accountId, signal);
}
