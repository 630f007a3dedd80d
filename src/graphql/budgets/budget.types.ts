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
  description: 'Whose spending is bounded.',
  valuesConfig: {
    KEY: { description: 'One API key’s.' },
    MEMBER: { description: 'One member’s: by the keys that they made, and by their sessions.' },
    ACCOUNT: { description: 'All of the account’s.' },
  },
});

@ObjectType({ implements: Node, description: 'A budget, and what it has come to in its present period.' })
export class BudgetStatus implements Node {
  @Field(() => ID, { description: 'What `removeBudget` takes.' })
  id!: string;

  @Field(() => BudgetSubject, { description: 'Whose spending it bounds.' })
  subject!: BudgetSubject;

  /** Its UUID, of which `apiKey` is made. */
  apiKeyId!: string | null;

  @Field(() => User, { nullable: true, description: 'The member that it bounds; null where it bounds none.' })
  member!: User | null;

  @Field(() => Money, { description: 'What may be spent in a period.' })
  amount!: Money;

  @Field(() => BudgetPeriod, { description: 'How long it is counted.' })
  period!: BudgetPeriod;

  @Field(() => DateTime, { nullable: true, description: 'When the present period began; null for one without end.' })
  periodStart!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When the next period begins; null for one without end.' })
  periodEnd!: Date | null;

  @Field(() => Money, { description: 'What was spent in the present period.' })
  spent!: Money;

  @Field(() => Money, { description: 'What requests under way may cost at most.' })
  reserved!: Money;

  @Field(() => Money, { description: 'What is neither spent nor reserved. Never below zero.' })
  remaining!: Money;

  @Field(() => [Int], { description: 'Percents of the amount at which the account is told, once in each period.' })
  alertAt!: number[];
}

@ObjectType({ description: 'That a budget has passed one of its thresholds.' })
export class BudgetAlert {
  @Field(() => BudgetStatus, { description: 'The budget as it is now.' })
  budget!: BudgetStatus;

  @Field(() => Int, { description: 'The threshold: percents of the amount.' })
  percent!: number;

  @Field(() => Money, { description: 'What was spent when it was passed.' })
  spent!: Money;

  @Field(() => DateTime, { description: 'When it was seen.' })
  at!: Date;
}
