import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Model } from '../models/model.types.ts';
import { Count } from '../scalars/count.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Decimal } from '../scalars/decimal.ts';
import { Money } from '../scalars/money.type.ts';
import { UsageTotals } from '../usage/usage-report.types.ts';

@InputType({ description: 'What is to be priced: so many requests, each of which uses so much.' })
export class ComparisonWorkload {
  @Field(() => Count, { defaultValue: 1, description: 'How many requests.' })
  requests!: number;

  @Field(() => Int, { defaultValue: 0, description: 'Tokens of input of each request.' })
  inputTokens!: number;

  @Field(() => Int, { defaultValue: 0, description: 'Part of the input that is read from the provider’s cache.' })
  cachedTokens!: number;

  @Field(() => Int, { defaultValue: 0, description: 'Tokens of output of each request.' })
  outputTokens!: number;

  @Field(() => Int, { defaultValue: 0, description: 'Part of the output that is reasoning.' })
  reasoningTokens!: number;

  @Field(() => Int, { defaultValue: 0, description: 'Pictures that each request makes.' })
  images!: number;

  @Field(() => String, { nullable: true, description: 'Of the pictures: `1024x1024`.' })
  imageSize?: string | null;

  @Field(() => String, { nullable: true, description: 'Of the pictures: `hd`.' })
  imageQuality?: string | null;

  @Field(() => Float, { defaultValue: 0, description: 'Seconds of sound that each request takes or makes.' })
  audioSeconds!: number;

  @Field(() => Float, { defaultValue: 0, description: 'Seconds of video that each request makes.' })
  videoSeconds!: number;

  @Field(() => Int, { defaultValue: 0, description: 'Characters that each request speaks.' })
  characters!: number;
}

@ObjectType({ description: 'A part of what one request of the workload costs.' })
export class WorkloadCostStep {
  @Field(() => String, { description: 'What is paid for.' })
  label!: string;

  @Field(() => Float, { description: 'How much of it.' })
  quantity!: number;

  @Field(() => Decimal, { description: 'USD per so many as `per` says.' })
  rate!: string;

  @Field(() => Int, { description: 'What the rate is for.' })
  per!: number;

  @Field(() => Money, { description: 'What it comes to.' })
  amount!: Money;
}

@ObjectType({ description: 'One model beside the others.' })
export class ComparedModel {
  @Field(() => ID, { description: 'As it was asked for.' })
  id!: string;

  @Field(() => Model, { description: 'What is known of it.' })
  model!: Model;

  @Field(() => Money, {
    nullable: true,
    description: 'The whole workload, with what the account’s plan adds; null without a workload, or a known price.',
  })
  cost!: Money | null;

  @Field(() => [WorkloadCostStep], { description: 'How one request of it costs so much.' })
  costSteps!: WorkloadCostStep[];

  @Field(() => Float, {
    nullable: true,
    description: 'How many times the cheapest of them it costs; null where that is nothing, or not known.',
  })
  timesCheapest!: number | null;

  @Field(() => UsageTotals, { description: 'What the account’s own requests to it were: their latency, their errors.' })
  measured!: UsageTotals;

  @Field(() => Float, { nullable: true, description: 'The share of them that failed, 0 to 1; null without requests.' })
  errorRate!: number | null;
}

@ObjectType({ description: 'Models side by side.' })
export class ModelComparison {
  @Field(() => [ComparedModel], { description: 'In the order in which they were named.' })
  models!: ComparedModel[];

  @Field(() => ID, { nullable: true, description: 'The one that the workload costs the least with; null without one.' })
  cheapest!: string | null;

  @Field(() => DateTime, { description: 'From when on the account’s own requests are counted.' })
  measuredFrom!: Date;

  @Field(() => DateTime, { description: 'Until when.' })
  measuredTo!: Date;
}
