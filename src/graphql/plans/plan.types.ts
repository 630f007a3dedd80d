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
  description: 'The billing period of a plan.',
  valuesConfig: {
    MONTH: { description: 'A calendar month in the account’s time zone.' },
    THIRTY_DAYS: { description: '30 days, counted from the creation of the account.' },
  },
});

export enum PlanOverage {
  REFUSE = 'refuse',
  BILL = 'bill',
}
registerEnumType(PlanOverage, {
  name: 'PlanOverage',
  description: 'What happens to usage that exceeds the allowance and the balance.',
  valuesConfig: {
    REFUSE: { description: 'Requests are rejected until the next period, a top-up or a change of plan.' },
    BILL: { description: 'The usage is billed on the next invoice.' },
  },
});

@ObjectType({
  description: 'The default and maximum limits of each API key. Null means no limit.',
})
export class PlanLimits {
  @Field(() => Int, { nullable: true, description: 'Requests per minute.' })
  requestsPerMinute!: number | null;

  @Field(() => Int, { nullable: true, description: 'Input and output tokens per minute.' })
  tokensPerMinute!: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests per day.' })
  requestsPerDay!: number | null;

  @Field(() => Int, { nullable: true, description: 'Concurrent requests.' })
  concurrency!: number | null;

  @Field(() => Int, { nullable: true, description: 'API keys per account, without revoked ones.' })
  apiKeys!: number | null;
}

@ObjectType({ description: 'The limits of all API keys of an account together. Null means no limit.' })
export class AccountLimits {
  @Field(() => Int, { nullable: true, description: 'Requests per minute.' })
  requestsPerMinute!: number | null;

  @Field(() => Int, { nullable: true, description: 'Input and output tokens per minute.' })
  tokensPerMinute!: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests per day.' })
  requestsPerDay!: number | null;

  @Field(() => Int, { nullable: true, description: 'Concurrent requests.' })
  concurrency!: number | null;
}

@ObjectType({ description: 'The limits of an API key that has no limits of its own. Null means no limit.' })
export class DefaultKeyLimits extends AccountLimits {}

@ObjectType({ description: 'A plan: limits, included usage and price. The operator defines the plans.' })
export class Plan {
  @Field(() => ID, { description: 'Plan ID: `free`, `pro`, `enterprise`, or one that the operator defined.' })
  id!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => PlanPeriod, { description: 'The billing period over which the allowance is counted.' })
  period!: PlanPeriod;

  @Field(() => PlanLimits, {
    description:
      'The default and maximum limits of each API key. Each key is counted separately; `apiKeys` applies to the account.',
  })
  limits!: PlanLimits;

  @Field(() => AccountLimits, {
    nullable: true,
    description: 'The limits of all API keys of an account together, in addition to `limits`. Null if there are none.',
  })
  accountLimits!: AccountLimits | null;

  @Field(() => Money, { description: 'The fee per period.' })
  fee!: Money;

  @Field(() => Money, { description: 'Usage per period that is included in the fee.' })
  allowance!: Money;

  @Field(() => PlanOverage, { description: 'What happens to usage that exceeds the allowance and the balance.' })
  overage!: PlanOverage;

  @Field(() => Decimal, { description: 'The markup on the cost of a request, in percent.' })
  markup!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Retention of the request log in days. Null if it is kept forever.',
  })
  retentionDays!: number | null;

  @Field(() => [String], { nullable: true, description: '`chat`, `embeddings`, `images` … Null for all.' })
  capabilities!: string[] | null;

  @Field(() => [String], { nullable: true, description: 'The models that the plan includes. Null for all.' })
  models!: string[] | null;

  @Field(() => Boolean, { description: 'Whether an owner can change to this plan.' })
  offered!: boolean;
}

@ObjectType({ description: 'A billing period. Includes its start, excludes its end.' })
export class AccountPeriod {
  @Field(() => DateTime, { description: 'Start of the period.' })
  start!: Date;

  @Field(() => DateTime, { description: 'End of the period, exclusive.' })
  end!: Date;
}

@ObjectType({ description: 'A scheduled change of plan.' })
export class PendingPlan {
  @Field(() => Plan, { description: 'The new plan.' })
  plan!: Plan;

  @Field(() => DateTime, { description: 'When the new plan takes effect.' })
  at!: Date;
}

@ObjectType({ description: 'The result of a change of plan.' })
export class PlanChange {
  @Field(() => Account, { description: 'The account after the change.' })
  account!: Account;

  @Field(() => Plan, { description: 'The previous plan.' })
  from!: Plan;

  @Field(() => Plan, { description: 'The new plan.' })
  to!: Plan;

  @Field(() => DateTime, { description: 'When the new plan takes effect.' })
  at!: Date;

  @Field(() => Boolean, {
    description: 'Whether the change is pending. A downgrade takes effect at the end of the period.',
  })
  pending!: boolean;

  @Field(() => Money, {
    description: 'The prorated charge for the rest of the period, accurate to the second. Negative for a credit.',
  })
  amount!: Money;
}

@ObjectType({ description: 'A preview of a change of plan. Nothing is changed.' })
export class PlanChangePreview {
  @Field(() => Plan, { description: 'The current plan.' })
  from!: Plan;

  @Field(() => Plan, { description: 'The new plan.' })
  to!: Plan;

  @Field(() => DateTime, { description: 'When the change takes effect: now, or at the end of the period.' })
  at!: Date;

  @Field(() => Boolean, {
    description:
      'Whether the change takes effect at the end of the period. `cancelPlanChange` can cancel it until then.',
  })
  pending!: boolean;

  @Field(() => Money, {
    description:
      'The prorated difference of both fees for the rest of the period, accurate to the second. It is added to the next invoice. Negative for a credit.',
  })
  amount!: Money;

  @Field(() => DateTime, { description: 'When the new plan’s fee is next charged in full.' })
  renewsAt!: Date;

  @Field(() => Money, {
    description:
      'Included usage: of the current period if the change takes effect now, otherwise of the first period of the new plan.',
  })
  includedUsage!: Money;

  @Field(() => Boolean, {
    description:
      'Whether the account can change back to its current plan later. `false` if that plan is not offered: then only the operator can assign it again.',
  })
  canReturn!: boolean;
}

@InputType({ description: 'Changes to the account. An absent field does not change.' })
export class UpdateAccountInput {
  @Field(() => String, { nullable: true, description: 'Display name, 1 to 100 characters.' })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'IANA time zone name, such as `Europe/Berlin`. Days and months start at midnight in this time zone.',
  })
  timeZone?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to turn on zero data retention: request content is not stored after the request completes. Content stored earlier is retained until it is deleted.',
  })
  zeroRetention?: boolean | null;
}
