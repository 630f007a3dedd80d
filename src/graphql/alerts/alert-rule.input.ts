import { Field, Float, ID, InputType, Int } from 'type-graphql';
import { AlertKind, AlertMeasure } from './alert-enums.ts';

@InputType({ description: 'A tag of requests.' })
export class AlertTagInput {
  @Field(() => String, { description: 'Name of the tag.' })
  name!: string;

  @Field(() => String, { description: 'Value of the tag.' })
  value!: string;
}

@InputType({ description: 'Which usage is observed. All conditions must match.' })
export class AlertFilterInput {
  @Field(() => String, { nullable: true, description: 'Model: `provider/model`.' })
  model?: string | null;

  @Field(() => String, { nullable: true, description: 'Provider.' })
  provider?: string | null;

  @Field(() => ID, { nullable: true, description: 'ID of an `ApiKey`.' })
  apiKeyId?: string | null;

  @Field(() => String, { nullable: true, description: 'Capability, such as `chat`.' })
  capability?: string | null;

  @Field(() => AlertTagInput, { nullable: true, description: 'Tag of the requests.' })
  tag?: AlertTagInput | null;
}

@InputType({ description: 'What is observed, and when the alert fires.' })
export class AlertConditionInput {
  @Field(() => AlertKind, { description: 'What is observed.' })
  kind!: AlertKind;

  @Field(() => Float, { description: 'The value at which the alert fires, in the unit of the kind.' })
  threshold!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      'The value at which it resolves. Default: the threshold; for `PROVIDER_DOWN` 0, which is the first success.',
  })
  resolveThreshold?: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'The minimum number of requests. Default: 20 for `ERROR_RATE` and `LATENCY`. For `PROVIDER_DOWN` of failed attempts, default 3. For `SPEND_ANOMALY` in USD, default 1.',
  })
  minimum?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The window in minutes, a multiple of 15 up to 43,200 (30 days). Default 60.',
  })
  windowMinutes?: number | null;

  @Field(() => Int, { nullable: true, description: '50, 90, 95 or 99. Default 95.' })
  percentile?: number | null;

  @Field(() => AlertMeasure, { nullable: true, description: 'What is measured. Default: `DURATION`.' })
  measure?: AlertMeasure | null;

  @Field(() => AlertFilterInput, { nullable: true, description: 'Which usage is observed. Default: all usage.' })
  filter?: AlertFilterInput | null;
}

@InputType({ description: 'An alert rule.' })
export class AlertRuleInput {
  @Field(() => String, { description: 'Name of the rule.' })
  name!: string;

  @Field(() => AlertConditionInput, { description: 'When the alert fires.' })
  condition!: AlertConditionInput;

  @Field(() => [ID], {
    nullable: true,
    description: 'IDs of the `AlertChannel`s that are notified. Maximum 10. Default: none.',
  })
  channelIds?: string[] | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether it is evaluated. Default: true.' })
  enabled?: boolean | null;
}
