import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Model } from '../models/model.types.ts';
import { Count } from '../scalars/count.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Decimal } from '../scalars/decimal.ts';
import { Money } from '../scalars/money.type.ts';
import { UsageTotals } from '../usage/usage-report.types.ts';

@InputType({ description: 'A workload to price: a number of requests, and the usage of each request.' })
export class ComparisonWorkload {
  @Field(() => Count, { defaultValue: 1, description: 'Number of requests.' })
  requests!: number;

  @Field(() => Int, { defaultValue: 0, description: 'Input tokens per request.' })
  inputTokens!: number;

  @Field(() => Int, {
    defaultValue: 0,
    description: 'Input tokens per request that are read from the provider’s cache. Included in `inputTokens`.',
  })
  cachedTokens!: number;

  @Field(() => Int, { defaultValue: 0, description: 'Output tokens per request.' })
  outputTokens!: number;

  @Field(() => Int, { defaultValue: 0, description: 'Reasoning tokens per request. Included in `outputTokens`.' })
  reasoningTokens!: number;

  @Field(() => Int, { defaultValue: 0, description: 'Generated images per request.' })
  images!: number;

  @Field(() => String, { nullable: true, description: 'Image size: `1024x1024`.' })
  imageSize?: string | null;

  @Field(() => String, { nullable: true, description: 'Image quality: `hd`.' })
  imageQuality?: string | null;

  @Field(() => Float, { defaultValue: 0, description: 'Seconds of audio input or output per request.' })
  audioSeconds!: number;

  @Field(() => Float, { defaultValue: 0, description: 'Seconds of generated video per request.' })
  videoSeconds!: number;

  @Field(() => Int, { defaultValue: 0, description: 'Characters of speech input per request.' })
  characters!: number;
}

@ObjectType({ description: 'A step of the cost computation of one request.' })
export class WorkloadCostStep {
  @Field(() => String, { description: 'What is billed.' })
  label!: string;

  @Field(() => Float, { description: 'Number of units.' })
  quantity!: number;

  @Field(() => Decimal, { description: 'USD per `per` units.' })
  rate!: string;

  @Field(() => Int, { description: 'Number of units that `rate` applies to.' })
  per!: number;

  @Field(() => Money, { description: 'Amount of this step.' })
  amount!: Money;
}

@ObjectType({ description: 'A model in a comparison.' })
export class ComparedModel {
  @Field(() => ID, { description: 'The requested model name.' })
  id!: string;

  @Field(() => Model, { description: 'Metadata of the model.' })
  model!: Model;

  @Field(() => Money, {
    nullable: true,
    description:
      'Cost of the complete workload, including the plan’s markup. Null without a workload or a known price.',
  })
  cost!: Money | null;

  @Field(() => [WorkloadCostStep], { description: 'Computation of the cost of one request.' })
  costSteps!: WorkloadCostStep[];

  @Field(() => Float, {
    nullable: true,
    description: 'Cost as a multiple of the cheapest model’s cost. Null if that cost is zero or unknown.',
  })
  timesCheapest!: number | null;

  @Field(() => UsageTotals, { description: 'The account’s own requests to the model: latency and errors.' })
  measured!: UsageTotals;

  @Field(() => Float, {
    nullable: true,
    description: 'Failed requests as a fraction from 0 to 1. Null without requests.',
  })
  errorRate!: number | null;
}

@ObjectType({ description: 'A comparison of models by metadata, price and measurements.' })
export class ModelComparison {
  @Field(() => [ComparedModel], { description: 'The models in the requested order.' })
  models!: ComparedModel[];

  @Field(() => ID, {
    nullable: true,
    description: 'The model with the lowest cost for the workload. Null if there is none.',
  })
  cheapest!: string | null;

  @Field(() => DateTime, { description: 'Start of the measurement period.' })
  measuredFrom!: Date;

  @Field(() => DateTime, { description: 'End of the measurement period.' })
  measuredTo!: Date;
}
