import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { BudgetsService } from '../../services/budgets/budgets.service.ts';
import { Requires } from '../operation/access.ts';
import { Account } from '../accounts/account.types.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { SetBudgetInput } from './budget.input.ts';
import { toBudgetStatus } from './budget.mapping.ts';
import { BudgetStatus } from './budget.types.ts';

@Resolver(() => BudgetStatus)
export class BudgetsResolver {
  readonly #budgets: BudgetsService;

  constructor(budgets: BudgetsService) {
    this.#budgets = budgets;
  }

  @Requires('budgets.read')
  @Query(() => [BudgetStatus], { description: 'All budgets of the account, its members and its API keys.' })
  budgets(@Ctx() context: GraphqlContext): Promise<BudgetStatus[]> {
    return allOf(this.#budgets, context);
  }

  @Requires('budgets.write')
  @Mutation(() => BudgetStatus, {
    description: 'Sets the budget of the account or of a member. Effective from the next request.',
  })
  async setBudget(
    @Arg('input', () => SetBudgetInput, { description: 'Subject and amount of the budget.' }) {
      memberId,
      budget,
    }: SetBudgetInput,
    @Ctx() context: GraphqlContext,
  ): Promise<BudgetStatus> {
    const { accountId } = await context.caller();
    const member = memberId ? fromGlobalId('User', memberId) : null;
    return toBudgetStatus(await this.#budgets.set(accountId, member, budget));
  }

  @Requires('budgets.write')
  @Mutation(() => Boolean, { description: 'Removes a budget.' })
  async removeBudget(
    @Arg('id', () => ID, { description: 'ID of a `BudgetStatus`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId } = await context.caller();
    await this.#budgets.remove(accountId, fromGlobalId('Budget', id));
    return true;
  }
}

@Resolver(() => Account)
export class AccountBudgetsResolver {
  readonly #budgets: BudgetsService;

  constructor(budgets: BudgetsService) {
    this.#budgets = budgets;
  }

  @Requires('budgets.read')
  @FieldResolver(() => [BudgetStatus], { description: 'All budgets of the account, its members and its API keys.' })
  budgets(@Ctx() context: GraphqlContext): Promise<BudgetStatus[]> {
    return allOf(this.#budgets, context);
  }
}

async function allOf(budgets: BudgetsService, context: GraphqlContext): Promise<BudgetStatus[]> {
  const { accountId } = await context.caller();
  return (await budgets.list(accountId)).map(toBudgetStatus);
}
