import { Arg, Ctx, FieldResolver, Int, Resolver, Root, Subscription } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { BudgetsService } from '../../services/budgets/budgets.service.ts';
import type { PlansService } from '../../services/plans/plans.service.ts';
import { Requires, RequiresAtStart } from '../operation/access.ts';
import { toBudgetStatus } from '../budgets/budget.mapping.ts';
import { BudgetStatus } from '../budgets/budget.types.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { toPlan } from '../plans/plan.mapping.ts';
import { PlanLimits } from '../plans/plan.types.ts';
import { usd } from '../scalars/money.type.ts';
import { subscription, type SubscribeInput } from '../operation/subscription.ts';
import { toUsageTotals } from './usage-report.mapping.ts';
import type { Tick } from './usage-ticks.ts';
import { UsageTick } from './usage-ticks.types.ts';
import type { UsageTickers } from './usage-tickers.ts';

const MAX_SECONDS = 3_600;

interface TickArgs {
  readonly interval: number;
}

@Resolver(() => UsageTick)
export class UsageTicksResolver {
  readonly #plans: PlansService;
  readonly #budgets: BudgetsService;
  readonly #usageTickers: UsageTickers;

  constructor(plans: PlansService, budgets: BudgetsService, usageTickers: UsageTickers) {
    this.#plans = plans;
    this.#budgets = budgets;
    this.#usageTickers = usageTickers;
  }

  @RequiresAtStart('usage.read')
  @Subscription(() => UsageTick, {
    description:
      'Spending, requests and tokens of the account with their limits: one tick immediately, then one after each change.',
    subscribe: subscription(() => UsageTicksResolver),
  })
  usageTicks(
    @Root() { at, since, totals, today }: Tick,
    @Arg('interval', () => Int, {
      defaultValue: 1,
      description: `Minimum number of seconds between ticks: 1 to ${MAX_SECONDS}.`,
    })
    _interval: number,
  ): UsageTick {
    const { costNano, ...counts } = totals;
    return { at, since, ...counts, cost: usd(costNano), today: today && toUsageTotals(today) };
  }

  @FieldResolver(() => PlanLimits, {
    nullable: true,
    description: 'The plan’s default and maximum limits of each API key. Null if they cannot be read.',
  })
  limits(@Ctx() context: GraphqlContext): Promise<PlanLimits | null> {
    return nullIfUnavailable(async () => {
      const account = await (await context.loaders()).account();
      return toPlan(this.#plans.planOf(account)).limits;
    });
  }

  @Requires('budgets.read')
  @FieldResolver(() => BudgetStatus, {
    nullable: true,
    description: 'The account’s own budget. Null if there is none or it cannot be read.',
  })
  budget(@Ctx() context: GraphqlContext): Promise<BudgetStatus | null> {
    return nullIfUnavailable(async () => {
      const { accountId } = await context.caller();
      const view = await this.#budgets.ofAccount(accountId);
      return view && toBudgetStatus(view);
    });
  }

  async subscribe({ args, context, signal }: SubscribeInput<TickArgs>): Promise<AsyncIterableIterator<Tick>> {
    const { interval } = args;
    if (interval < 1 || interval > MAX_SECONDS)
      throw new SluiceError('bad_user_input', {
        param: 'interval',
        values: { reason: `interval: must be 1 to ${MAX_SECONDS}` },
      });
    const { accountId } = await context.require('usage.read');
    return this.#usageTickers.subscribe(accountId, interval * 1_000, signal);
  }
}

/** Live figures continue while limits and budgets cannot be read. */
async function nullIfUnavailable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SluiceError && error.status === 503) return null;
    throw error;
  }
}
