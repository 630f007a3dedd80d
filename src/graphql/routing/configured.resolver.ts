import { Ctx, Query, Resolver } from 'type-graphql';
import { Requires } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { ProviderState, ServerRoute } from './configured.types.ts';
import { enumValue } from './enum-value.ts';
import { BreakerState, TargetOrder } from './route-preview.types.ts';

@Resolver()
export class ConfiguredResolver {
  @Requires('connections.read')
  @Query(() => [ProviderState], {
    description: 'The providers that are available to the account, with their health. At most one entry per provider.',
  })
  async providerStates(@Ctx() context: GraphqlContext): Promise<ProviderState[]> {
    const { accountId } = await context.caller();
    await context.services.models.ready(accountId);
    return context.services.routes.states(accountId).map(({ targets, ...state }) => ({
      ...state,
      targets: targets.map((target) => ({ ...target, breaker: enumValue(BreakerState, target.breaker) })),
    }));
  }

  @Requires('routes.read')
  @Query(() => [ServerRoute], { description: 'The operator’s routes and aliases, sorted by name.' })
  async serverRoutes(@Ctx() context: GraphqlContext): Promise<ServerRoute[]> {
    await context.caller();
    return context.services.routes.serverRoutes().map(({ targets, order, ...route }) => ({
      ...route,
      targets: [...targets],
      order: order === null ? null : enumValue(TargetOrder, order),
    }));
  }
}
