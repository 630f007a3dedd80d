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
  description: 'How long money is counted before it begins at nothing again, by the account’s time zone.',
  valuesConfig: {
    DAY: { description: 'From midnight to midnight.' },
    WEEK: { description: 'From Monday on.' },
    MONTH: { description: 'From the first of the month on.' },
    TOTAL: { description: 'All of time.' },
  },
});

@InputType({ description: 'How much may be spent in a period.' })
export class Budget {
  @Field(() => Decimal, { description: 'USD, more than 0, of at most 9 places.' })
  amount!: string;

  @Field(() => BudgetPeriod, { description: 'How long it is counted.' })
  period!: BudgetPeriod;

  @Field(() => [Int], {
    nullable: true,
    description:
      'Percents of the amount, 1 to 100, at which the account is told, once in each period. Where absent they stay as they are: 80 and 100 for a new budget. An empty list tells nothing.',
  })
  alertAt?: number[] | null;
}

@InputType({ description: 'Whose budget is set, and to what.' })
export class SetBudgetInput {
  @Field(() => ID, { nullable: true, description: 'A member of the account; the account itself where absent.' })
  memberId?: string | null;

  @Field(() => Budget, { description: 'Replaces the one that there is.' })
  budget!: Budget;
}
