import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { User } from '../accounts/account.types.ts';
import { Node } from '../relay/node.types.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Money } from '../scalars/money.type.ts';
import { BudgetPeriod } from './budget.input.ts';

export enum BudgetSubject {
  KEY = 'key',
  MEMBER = 'member',
  ACCOUNT = 'account',
}
registerEnumType(BudgetSubject, {
  name: 'BudgetSubject',
  description: 'The subject of a budget.',
  valuesConfig: {
    KEY: { description: 'One API key.' },
    MEMBER: { description: 'One member: the API keys that they created, and their sessions.' },
    ACCOUNT: { description: 'The account.' },
  },
});

@ObjectType({ implements: Node, description: 'A budget with its spending in the current period.' })
export class BudgetStatus implements Node {
  @Field(() => ID, { description: 'The budget’s ID, for `removeBudget`.' })
  id!: string;

  @Field(() => BudgetSubject, { description: 'Whose spending the budget limits.' })
  subject!: BudgetSubject;

  /** UUID for the field `apiKey`; not part of the schema. */
  apiKeyId!: string | null;

  @Field(() => User, {
    nullable: true,
    description: 'The member whose spending is limited. Null if the budget does not belong to a member.',
  })
  member!: User | null;

  @Field(() => Money, { description: 'The amount that can be spent in a period.' })
  amount!: Money;

  @Field(() => BudgetPeriod, { description: 'Budget period.' })
  period!: BudgetPeriod;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Start of the current period. Null for a budget without periods.',
  })
  periodStart!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Start of the next period. Null for a budget without periods.',
  })
  periodEnd!: Date | null;

  @Field(() => Money, { description: 'Spending in the current period.' })
  spent!: Money;

  @Field(() => Money, { description: 'Reserved for requests in progress: their maximum cost.' })
  reserved!: Money;

  @Field(() => Money, { description: 'Amount that is neither spent nor reserved. Never negative.' })
  remaining!: Money;

  @Field(() => [Int], { description: 'Alert thresholds in percent of the amount. Each alerts once per period.' })
  alertAt!: number[];
}

@ObjectType({ description: 'A budget reached one of its thresholds.' })
export class BudgetAlert {
  @Field(() => BudgetStatus, { description: 'The current state of the budget.' })
  budget!: BudgetStatus;

  @Field(() => Int, { description: 'The threshold in percent of the amount.' })
  percent!: number;

  @Field(() => Money, { description: 'Spending when the threshold was reached.' })
  spent!: Money;

  @Field(() => DateTime, { description: 'When it was detected.' })
  at!: Date;
}
