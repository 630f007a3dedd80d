import { FieldResolver, Resolver, Root } from 'type-graphql';
import type { MemoryKeyDirectory } from '../../services/keys/key-directory.ts';
import type { PlansService } from '../../services/plans/plans.service.ts';
import { toRates } from './plan.mapping.ts';
import { DefaultKeyLimits, Plan } from './plan.types.ts';

@Resolver(() => Plan)
export class DefaultKeyLimitsResolver {
  readonly #plans: PlansService;
  readonly #directory: MemoryKeyDirectory;

  constructor(plans: PlansService, directory: MemoryKeyDirectory) {
    this.#plans = plans;
    this.#directory = directory;
  }

  @FieldResolver(() => DefaultKeyLimits, {
    description:
      'The limits of an API key that has no limits of its own: `limits`, or the server’s defaults where those are null.',
  })
  defaultKeyLimits(@Root() { id }: Plan): DefaultKeyLimits {
    return toRates(this.#directory.defaultsWithin(this.#plans.planOf({ plan: id }).limits));
  }
}
