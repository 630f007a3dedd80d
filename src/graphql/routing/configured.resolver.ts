import { Ctx, Query, Resolver } from 'type-graphql';
import type { ModelDirectory } from '../../gateway/keys/model-directory.ts';
import type { ConfiguredRouting } from '../../gateway/routing/provider-states.ts';
import { toDataPolicy } from '../models/model.mapping.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { ProviderState, ServerRoute } from './configured.types.ts';
import { enumValue } from './enum-value.ts';
import { BreakerState, TargetOrder } from './route-preview.types.ts';

@Resolver()
export class ConfiguredResolver {
  readonly #models: Pick<ModelDirectory, 'ready'>;
  readonly #routes: ConfiguredRouting;

  constructor(models: Pick<ModelDirectory, 'ready'>, routes: ConfiguredRouting) {
    this.#models = models;
    this.#routes = routes;
  }

  @Requires('connections.read')
  @Query(() => [ProviderState], {
    description: 'The providers that are available to the account, with their health. At most one entry per provider.',
  })
  async providerStates(@Ctx() context: GraphqlContext): Promise<ProviderState[]> {
    const { accountId } = await context.caller();
    await this.#models.ready(accountId);
    return this.#routes.states(accountId).map(({ targets, dataPolicy, ...state }) => ({
      ...state,
      dataPolicy: toDataPolicy(dataPolicy),
      targets: targets.map((target) => ({ ...target, breaker: enumValue(BreakerState, target.breaker) })),
    }));
  }

  @Requires('routes.read')
  @Query(() => [ServerRoute], { description: 'The operator’s routes and aliases, sorted by name.' })
  async serverRoutes(@Ctx() context: GraphqlContext): Promise<ServerRoute[]> {
    await context.caller();
    return this.#routes.serverRoutes().map(({ targets, order, ...route }) => ({
      ...route,
      targets: [...targets],
      order: order === null ? null : enumValue(TargetOrder, order),
    }));
  }
}
