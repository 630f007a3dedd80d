import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { RoutesService } from '../../services/routes/routes.service.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { toRoute } from './route.mapping.ts';
import { Route, SaveRouteInput } from './route.types.ts';

@Resolver()
export class RoutesResolver {
  readonly #accountRoutes: RoutesService;

  constructor(accountRoutes: RoutesService) {
    this.#accountRoutes = accountRoutes;
  }

  @Requires('routes.read')
  @Query(() => [Route], { description: 'The account’s own routes, sorted by name. Maximum 100.' })
  async routes(@Ctx() context: GraphqlContext): Promise<Route[]> {
    const { accountId } = await context.caller();
    return (await this.#accountRoutes.list(accountId)).map(toRoute);
  }

  @Requires('routes.write')
  @Mutation(() => Route, {
    description: 'Creates a route, or replaces the route with the same name. Effective immediately.',
  })
  async saveRoute(
    @Arg('input', () => SaveRouteInput, { description: 'The complete route.' }) input: SaveRouteInput,
    @Ctx() context: GraphqlContext,
  ): Promise<Route> {
    const { accountId } = await context.caller();
    return toRoute(await this.#accountRoutes.save(accountId, input));
  }

  @Requires('routes.write')
  @Mutation(() => Boolean, {
    description: 'Deletes a route. Its name then refers to the server’s route, alias or model again.',
  })
  async deleteRoute(
    @Arg('id', () => ID, { description: 'ID of a `Route`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId } = await context.caller();
    await this.#accountRoutes.remove(accountId, fromGlobalId('Route', id));
    return true;
  }
}
