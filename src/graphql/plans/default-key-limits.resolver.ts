import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { GraphqlContext } from '../context.ts';
import { toRates } from './plan.mapping.ts';
import { DefaultKeyLimits, Plan } from './plan.types.ts';

@Resolver(() => Plan)
export class DefaultKeyLimitsResolver {
  @FieldResolver(() => DefaultKeyLimits, {
    description:
      'The limits of an API key that has no limits of its own: `limits`, or the server’s defaults where those are null.',
  })
  defaultKeyLimits(@Root() { id }: Plan, @Ctx() context: GraphqlContext): DefaultKeyLimits {
    const { plans, directory } = context.services;
    return toRates(directory.defaultsWithin(plans.planOf({ plan: id }).limits));
  }
}
