import { Field, ObjectType } from 'type-graphql';
import { formatUsd } from '../../catalogue/prices/price.ts';
import { Decimal } from './decimal.ts';

@ObjectType({ description: 'An exact amount of money.' })
export class Money {
  @Field(() => Decimal, { description: 'Decimal amount in units of the currency: `0.000123`.' })
  amount!: string;

  @Field(() => String, { description: 'ISO 4217 currency code.' })
  currency!: string;
}

/** @param nano integer nano-USD */
export function usd(nano: bigint): Money {
  return { amount: formatUsd(nano), currency: 'USD' };
}
