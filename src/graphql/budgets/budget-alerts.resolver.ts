import { Resolver, Root, Subscription } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { Topic } from '../../live/topic.ts';
import type { PassedThreshold } from '../../services/budgets/budget-alerts.ts';
import type { BudgetsService } from '../../services/budgets/budgets.service.ts';
import { RequiresAtStart } from '../operation/access.ts';
import { usd } from '../scalars/money.type.ts';
import { subscription, type SubscribeInput } from '../operation/subscription.ts';
import { toBudgetStatus } from './budget.mapping.ts';
import { BudgetAlert } from './budget.types.ts';

@Resolver()
export class BudgetAlertsResolver {
  readonly #budgets: BudgetsService;
  readonly #passedThresholds: Topic<PassedThreshold>;

  constructor(budgets: BudgetsService, passedThresholds: Topic<PassedThreshold>) {
    this.#budgets = budgets;
    this.#passedThresholds = passedThresholds;
  }

  @RequiresAtStart('budgets.read')
  @Subscription(() => BudgetAlert, {
    description:
      'Alerts when a budget of the account reaches one of its thresholds, on any instance. For guaranteed delivery, use the webhook event `budget.alert`.',
    subscribe: subscription(() => BudgetAlertsResolver),
  })
  async budgetAlerts(@Root() passed: PassedThreshold): Promise<BudgetAlert> {
    const { known, percent, spentNano, at } = passed;
    const all = await this.#budgets.list(known.budget.accountId);
    const view = all.find((each) => each.known.rowId === known.rowId);
    // It was removed in the meantime.
    if (view === undefined) throw new SluiceError('not_found', { values: { what: 'budget' } });
    return { budget: toBudgetStatus(view), percent, spent: usd(spentNano), at: new Date(at) };
  }

  async subscribe({ context, signal }: SubscribeInput<object>): Promise<AsyncIterableIterator<PassedThreshold>> {
    const { accountId } = await context.require('budgets.read');
    return this.#passedThresholds.subscribe(accountId, signal);
  }
}
