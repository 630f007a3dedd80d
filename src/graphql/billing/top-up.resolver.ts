import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { ErrorCode } from '../../errors/index.ts';
import type { TopUps } from '../../services/billing/top-ups.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { asFailure } from '../operation/failures.ts';
import { TopUpCheckout, TopUpFailure, TopUpInput, TopUpResult } from './top-up.types.ts';

const failures: readonly ErrorCode[] = ['top_up_unavailable', 'amount_out_of_range', 'payment_provider_failed'];

@Resolver()
export class TopUpResolver {
  readonly #topUps: TopUps;

  constructor(topUps: TopUps) {
    this.#topUps = topUps;
  }

  @Requires('balance.top_up')
  @Mutation(() => TopUpResult, {
    description: 'Starts a purchase of credit, if a payment service is configured.',
  })
  async topUp(
    @Arg('input', () => TopUpInput, { description: 'The amount.' }) { amount }: TopUpInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof TopUpResult> {
    const { accountId } = await context.caller();
    try {
      return Object.assign(new TopUpCheckout(), { url: await this.#topUps.begin(accountId, amount) });
    } catch (error) {
      return asFailure(new TopUpFailure(), error, failures);
    }
  }
}
