import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { GraphqlContext } from '../context.ts';
import { toRates } from './plan.mapping.ts';
import { DefaultKeyLimits, Plan } from './plan.types.ts';

@Resolver(() => Plan)
export class DefaultKeyLimitsResolver {
  @FieldResolver(() => DefaultKeyLimits, {
    description:
      'What each key of the plan has that was given no limits of its own: `limits`, and the server’s defaults where those have none.',
  })
  defaultKeyLimits(@Root() { id }: Plan, @Ctx() context: GraphqlContext): DefaultKeyLimits {
    const { plans, directory } = context.services;
    return toRates(directory.defaultsWithin(plans.planOf({ plan: id }).limits));
  }
}
