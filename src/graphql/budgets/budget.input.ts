import { Field, ID, InputType, Int, registerEnumType } from 'type-graphql';
import { Decimal } from '../scalars/decimal.ts';

export enum BudgetPeriod {
  DAY = 'DAY',
  WEEK = 'WEEK',
  MONTH = 'MONTH',
  TOTAL = 'TOTAL',
}
registerEnumType(BudgetPeriod, {
  name: 'BudgetPeriod',
  description: 'The period after which a budget resets, in the account’s time zone.',
  valuesConfig: {
    DAY: { description: 'One day, starting at midnight.' },
    WEEK: { description: 'One week, starting on Monday.' },
    MONTH: { description: 'One calendar month.' },
    TOTAL: { description: 'Never resets.' },
  },
});

@InputType({ description: 'An amount per period.' })
export class Budget {
  @Field(() => Decimal, { description: 'Amount in USD, greater than 0, with at most 9 decimal places.' })
  amount!: string;

  @Field(() => BudgetPeriod, { description: 'Budget period.' })
  period!: BudgetPeriod;

  @Field(() => [Int], {
    nullable: true,
    description:
      'Alert thresholds in percent of the amount, from 1 to 100. Each alerts once per period. If absent, the thresholds do not change; a new budget has 80 and 100. An empty list disables alerts.',
  })
  alertAt?: number[] | null;
}

@InputType({ description: 'The subject and amount of a budget.' })
export class SetBudgetInput {
  @Field(() => ID, { nullable: true, description: 'A member of the account. Default: the account itself.' })
  memberId?: string | null;

  @Field(() => Budget, { description: 'The new budget. It replaces an existing one.' })
  budget!: Budget;
}
