import { Field, ObjectType } from 'type-graphql';
import { Count } from '../scalars/count.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Money } from '../scalars/money.type.ts';
import { UsageTotals } from './usage-report.types.ts';

@ObjectType({
  description:
    'The account’s usage as it moves. What stands beside `today` is counted from completions as they end, since `since`: one that its caller left counts with what it cost only in `today`.',
})
export class UsageTick {
  @Field(() => DateTime, { description: 'When it was counted.' })
  at!: Date;

  @Field(() => DateTime, {
    description: 'When counting began: when the first came of those who follow the account at this interval.',
  })
  since!: Date;

  @Field(() => Count, { description: 'Those that ended.' })
  requests!: number;

  @Field(() => Count, { description: 'Those that failed.' })
  errors!: number;

  @Field(() => Count, { description: 'All tokens of their input.' })
  inputTokens!: number;

  @Field(() => Count, { description: 'All tokens of their output.' })
  outputTokens!: number;

  @Field(() => Money, { description: 'What they cost.' })
  cost!: Money;

  @Field(() => UsageTotals, {
    nullable: true,
    description: 'From the beginning of the account’s day on, as it is stored now. Null while that cannot be read.',
  })
  today!: UsageTotals | null;
}
