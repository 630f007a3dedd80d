import { createUnionType, Field, InputType, ObjectType } from 'type-graphql';
import { Decimal } from '../scalars/decimal.ts';

@InputType({ description: 'Credit to be bought.' })
export class TopUpInput {
  @Field(() => Decimal, { description: 'USD in whole cents, 1 to 10000: `25` or `12.50`.' })
  amount!: string;
}

@ObjectType({ description: 'Where the credit is paid. It is there when the payment is.' })
export class TopUpCheckout {
  @Field(() => String, { description: 'The page to send the browser to.' })
  url!: string;
}

@ObjectType({ description: 'Why no credit can be bought.' })
export class TopUpFailure {
  @Field(() => String, { description: '`top_up_unavailable`, `amount_out_of_range` or `payment_provider_failed`.' })
  code!: string;

  @Field(() => String, { description: 'For people.' })
  message!: string;
}

export const TopUpResult = createUnionType({
  name: 'TopUpResult',
  description: 'What became of the wish for credit.',
  types: () => [TopUpCheckout, TopUpFailure] as const,
});
