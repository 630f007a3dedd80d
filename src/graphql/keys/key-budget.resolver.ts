import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { BudgetsService } from '../../services/budgets/budgets.service.ts';
import { BudgetStatus } from '../budgets/budget.types.ts';
import { toBudgetStatus } from '../budgets/budget.mapping.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { ApiKey } from './api-key.types.ts';
import { loadApiKey } from './load-api-key.ts';

@Resolver(() => BudgetStatus)
export class BudgetKeyResolver {
  @Requires('budgets.read')
  @FieldResolver(() => ApiKey, {
    nullable: true,
    description: 'The API key whose spending is limited. Null if the budget does not belong to a key.',
  })
  async apiKey(@Root() { apiKeyId }: BudgetStatus, @Ctx() context: GraphqlContext): Promise<ApiKey | null> {
    return apiKeyId === null ? null : loadApiKey(context, apiKeyId);
  }
}

@Resolver(() => ApiKey)
export class KeyBudgetResolver {
  readonly #budgets: Pick<BudgetsService, 'ofKey'>;

  constructor(budgets: Pick<BudgetsService, 'ofKey'>) {
    this.#budgets = budgets;
  }

  @Requires('budgets.read')
  @FieldResolver(() => BudgetStatus, {
    nullable: true,
    description: 'The budget of the key. Null if it has no budget of its own or is revoked.',
  })
  async budget(@Root() { id }: ApiKey, @Ctx() context: GraphqlContext): Promise<BudgetStatus | null> {
    const { accountId } = await context.caller();
    const view = await this.#budgets.ofKey(accountId, fromGlobalId('ApiKey', id));
    return view && toBudgetStatus(view);
  }
}
