import { Field, ObjectType } from 'type-graphql';
import { Count } from '../scalars/count.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Money } from '../scalars/money.type.ts';
import { UsageTotals } from './usage-report.types.ts';

@ObjectType({
  description:
    'A snapshot of the account’s usage. All counters except `today` count completions that ended after `since`. A completion that the client cancelled counts only with its cost, and only in `today`.',
})
export class UsageTick {
  @Field(() => DateTime, { description: 'Time of the snapshot.' })
  at!: Date;

  @Field(() => DateTime, {
    description: 'When counting started: with the first subscription to this account at this interval.',
  })
  since!: Date;

  @Field(() => Count, { description: 'Number of completions that ended.' })
  requests!: number;

  @Field(() => Count, { description: 'Number of completions that failed.' })
  errors!: number;

  @Field(() => Count, { description: 'Input tokens.' })
  inputTokens!: number;

  @Field(() => Count, { description: 'Output tokens.' })
  outputTokens!: number;

  @Field(() => Money, { description: 'Cost.' })
  cost!: Money;

  @Field(() => UsageTotals, {
    nullable: true,
    description: 'Stored totals since the start of the account’s day. Null if they cannot be read.',
  })
  today!: UsageTotals | null;
}
