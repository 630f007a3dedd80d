import { createUnionType, Field, InputType, ObjectType } from 'type-graphql';
import { Decimal } from '../scalars/decimal.ts';

@InputType({ description: 'The purchase of credit.' })
export class TopUpInput {
  @Field(() => Decimal, { description: 'Amount in USD, in whole cents, from 1 to 10000: `25` or `12.50`.' })
  amount!: string;
}

@ObjectType({ description: 'A checkout for credit. The credit is added when the payment completes.' })
export class TopUpCheckout {
  @Field(() => String, { description: 'URL of the checkout page.' })
  url!: string;
}

@ObjectType({ description: 'The top-up failed.' })
export class TopUpFailure {
  @Field(() => String, { description: '`top_up_unavailable`, `amount_out_of_range` or `payment_provider_failed`.' })
  code!: string;

  @Field(() => String, { description: 'Human-readable message.' })
  message!: string;
}

export const TopUpResult = createUnionType({
  name: 'TopUpResult',
  description: 'A checkout, or the reason for the failure.',
  types: () => [TopUpCheckout, TopUpFailure] as const,
});
