import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Account } from '../accounts/account.types.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Decimal } from '../scalars/decimal.ts';
import { Money } from '../scalars/money.type.ts';

export enum PlanPeriod {
  MONTH = 'month',
  THIRTY_DAYS = '30_days',
}
registerEnumType(PlanPeriod, {
  name: 'PlanPeriod',
  description: 'When a plan’s allowance begins anew.',
  valuesConfig: {
    MONTH: { description: 'With the calendar’s month, in the account’s time zone.' },
    THIRTY_DAYS: { description: 'Every 30 days from the account’s start.' },
  },
});

export enum PlanOverage {
  REFUSE = 'refuse',
  BILL = 'bill',
}
registerEnumType(PlanOverage, {
  name: 'PlanOverage',
  description: 'What becomes of usage beyond the allowance and the balance.',
  valuesConfig: {
    REFUSE: { description: 'It is refused until the next period, a top-up or a change of plan.' },
    BILL: { description: 'It is billed with the next invoice.' },
  },
});

@ObjectType({
  description: 'What each API key of an account has by default and at most; null where there is no limit.',
})
export class PlanLimits {
  @Field(() => Int, { nullable: true, description: 'Requests in a minute.' })
  requestsPerMinute!: number | null;

  @Field(() => Int, { nullable: true, description: 'Tokens of input and output in a minute.' })
  tokensPerMinute!: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests in a day.' })
  requestsPerDay!: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests at the same time.' })
  concurrency!: number | null;

  @Field(() => Int, { nullable: true, description: 'API keys of an account that are not revoked.' })
  apiKeys!: number | null;
}

@ObjectType({ description: 'What all API keys of an account have together; null where there is no limit.' })
export class AccountLimits {
  @Field(() => Int, { nullable: true, description: 'Requests in a minute.' })
  requestsPerMinute!: number | null;

  @Field(() => Int, { nullable: true, description: 'Tokens of input and output in a minute.' })
  tokensPerMinute!: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests in a day.' })
  requestsPerDay!: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests at the same time.' })
  concurrency!: number | null;
}

@ObjectType({ description: 'What a key has that was given no limits of its own; null where there is no limit.' })
export class DefaultKeyLimits extends AccountLimits {}

@ObjectType({ description: 'What an account has, and what it costs. The operator defines the plans.' })
export class Plan {
  @Field(() => ID, { description: '`free`, `pro`, `enterprise`, or what the operator named it.' })
  id!: string;

  @Field(() => String, { description: 'For people.' })
  name!: string;

  @Field(() => PlanPeriod, { description: 'When its allowance begins anew.' })
  period!: PlanPeriod;

  @Field(() => PlanLimits, {
    description:
      'What each API key of an account has by default and at most: each is counted by itself. `apiKeys` is of the account.',
  })
  limits!: PlanLimits;

  @Field(() => AccountLimits, {
    nullable: true,
    description: 'What all API keys of an account have together, beside `limits`; null where nothing bounds them.',
  })
  accountLimits!: AccountLimits | null;

  @Field(() => Money, { description: 'For a period.' })
  fee!: Money;

  @Field(() => Money, { description: 'What of a period’s usage is not billed.' })
  allowance!: Money;

  @Field(() => PlanOverage, { description: 'What becomes of usage beyond the allowance and the balance.' })
  overage!: PlanOverage;

  @Field(() => Decimal, { description: 'Percent that are added to what a request costs.' })
  markup!: string;

  @Field(() => Int, { nullable: true, description: 'How long the log of requests is kept; null for ever.' })
  retentionDays!: number | null;

  @Field(() => [String], { nullable: true, description: '`chat`, `embeddings`, `images` …; null for all.' })
  capabilities!: string[] | null;

  @Field(() => [String], { nullable: true, description: 'The models that it includes; null for all.' })
  models!: string[] | null;

  @Field(() => Boolean, { description: 'Whether an owner may change to it.' })
  offered!: boolean;
}

@ObjectType({ description: 'From its start up to, not including, its end.' })
export class AccountPeriod {
  @Field(() => DateTime, { description: 'When it began.' })
  start!: Date;

  @Field(() => DateTime, { description: 'When the next one begins.' })
  end!: Date;
}

@ObjectType({ description: 'A change of plans that is yet to come.' })
export class PendingPlan {
  @Field(() => Plan, { description: 'The plan that is to come.' })
  plan!: Plan;

  @Field(() => DateTime, { description: 'When it comes.' })
  at!: Date;
}

@ObjectType({ description: 'What became of a change of plans.' })
export class PlanChange {
  @Field(() => Account, { description: 'The account as it is now.' })
  account!: Account;

  @Field(() => Plan, { description: 'The plan that it had.' })
  from!: Plan;

  @Field(() => Plan, { description: 'The plan that it has or will have.' })
  to!: Plan;

  @Field(() => DateTime, { description: 'When the account has the plan.' })
  at!: Date;

  @Field(() => Boolean, {
    description: 'Whether that is yet to come: a change to a smaller plan waits for the period’s end.',
  })
  pending!: boolean;

  @Field(() => Money, {
    description: 'Due for what is left of the period, to the second; negative where more is given back.',
  })
  amount!: Money;
}

@ObjectType({ description: 'What a change of plans would do now. Nothing is changed.' })
export class PlanChangePreview {
  @Field(() => Plan, { description: 'The plan that the account has.' })
  from!: Plan;

  @Field(() => Plan, { description: 'The plan that it would have.' })
  to!: Plan;

  @Field(() => DateTime, { description: 'When it would take effect: now, or at the end of the period.' })
  at!: Date;

  @Field(() => Boolean, {
    description: 'Whether it would take effect at the end of the period; `cancelPlanChange` cancels it until then.',
  })
  pending!: boolean;

  @Field(() => Money, {
    description:
      'What it adds to the next invoice for the rest of the period: the new plan’s fee less that of the present one, to the second; negative where that is a credit.',
  })
  amount!: Money;

  @Field(() => DateTime, { description: 'When the new plan’s fee is next charged in full.' })
  renewsAt!: Date;

  @Field(() => Money, {
    description:
      'What would be included: of the running period’s usage where it takes effect now, else of the first period with the new plan.',
  })
  includedUsage!: Money;

  @Field(() => Boolean, {
    description:
      'Whether the account could change back to its present plan afterwards. `false` where that plan is not offered: then only the operator can offer it again.',
  })
  canReturn!: boolean;
}

@InputType({ description: 'What is absent stays as it is.' })
export class UpdateAccountInput {
  @Field(() => String, { nullable: true, description: 'For people: 1 to 100 characters.' })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'IANA name, such as `Europe/Berlin`: days and months begin by it.',
  })
  timeZone?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether nothing of what requests say is kept once they are answered. What was kept before stays until it is deleted.',
  })
  zeroRetention?: boolean | null;
}
