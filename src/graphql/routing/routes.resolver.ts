import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { Requires } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { toRoute } from './route.mapping.ts';
import { Route, SaveRouteInput } from './route.types.ts';

@Resolver()
export class RoutesResolver {
  @Requires('routes.read')
  @Query(() => [Route], { description: 'The account’s own routes, by name: at most 100.' })
  async routes(@Ctx() context: GraphqlContext): Promise<Route[]> {
    const { accountId } = await context.caller();
    return (await context.services.accountRoutes.list(accountId)).map(toRoute);
  }

  @Requires('routes.write')
  @Mutation(() => Route, { description: 'Makes a route, or replaces the one of its name. It holds from now on.' })
  async saveRoute(
    @Arg('input', () => SaveRouteInput, { description: 'The route, whole.' }) input: SaveRouteInput,
    @Ctx() context: GraphqlContext,
  ): Promise<Route> {
    const { accountId } = await context.caller();
    return toRoute(await context.services.accountRoutes.save(accountId, input));
  }

  @Requires('routes.write')
  @Mutation(() => Boolean, { description: 'Deletes a route. Its name means again what it means to all.' })
  async deleteRoute(
    @Arg('id', () => ID, { description: 'Of a `Route`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId } = await context.caller();
    await context.services.accountRoutes.remove(accountId, fromGlobalId('Route', id));
    return true;
  }
}
