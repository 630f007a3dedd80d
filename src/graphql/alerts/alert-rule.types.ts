import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { DateTime } from '../scalars/date-time.ts';
import { AlertKind, AlertMeasure } from './alert-enums.ts';

@ObjectType({ description: 'A tag of requests.' })
export class AlertTag {
  @Field(() => String, { description: 'Name of the tag.' })
  name!: string;

  @Field(() => String, { description: 'Value of the tag.' })
  value!: string;
}

@ObjectType({ description: 'Which usage an alert rule observes. All conditions match.' })
export class AlertRuleFilter {
  @Field(() => String, { nullable: true, description: 'Model: `provider/model`. Null for all models.' })
  model!: string | null;

  @Field(() => String, { nullable: true, description: 'Provider. Null for all providers.' })
  provider!: string | null;

  @Field(() => ID, { nullable: true, description: 'ID of an `ApiKey`. Null for all keys.' })
  apiKeyId!: string | null;

  @Field(() => String, { nullable: true, description: 'Capability, such as `chat`. Null for all capabilities.' })
  capability!: string | null;

  @Field(() => AlertTag, { nullable: true, description: 'Tag of the requests. Null for all requests.' })
  tag!: AlertTag | null;
}

@ObjectType({ description: 'What an alert rule last found: of the account, or of one provider, key or budget.' })
export class AlertState {
  @Field(() => String, { description: 'Name of the provider, key or budget. Empty for the account.' })
  subject!: string;

  @Field(() => Boolean, { description: 'Whether the alert fires.' })
  firing!: boolean;

  @Field(() => Float, { nullable: true, description: 'The value in the unit of the kind. Null if it is not known.' })
  value!: number | null;

  @Field(() => DateTime, { description: 'When the value was determined.' })
  evaluatedAt!: Date;

  @Field(() => DateTime, { description: 'When the alert fired or resolved. The first evaluation if it never did.' })
  changedAt!: Date;
}

@ObjectType({ implements: Node, description: 'A condition that is evaluated every minute, and who is notified.' })
export class AlertRule implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'Name of the rule.' })
  name!: string;

  @Field(() => AlertKind, { description: 'What it observes.' })
  kind!: AlertKind;

  @Field(() => Float, { description: 'The value at which the alert fires.' })
  threshold!: number;

  @Field(() => Float, { description: 'The value at which the alert resolves.' })
  resolveThreshold!: number;

  @Field(() => Float, {
    description:
      'Requests (USD for `SPEND_ANOMALY`, failed attempts for `PROVIDER_DOWN`) below which the alert does not fire.',
  })
  minimum!: number;

  @Field(() => Int, { description: 'The window in minutes. For `SPEND`, `ERROR_RATE` and `LATENCY`.' })
  windowMinutes!: number;

  @Field(() => Int, { description: 'The percentile. For `LATENCY`.' })
  percentile!: number;

  @Field(() => AlertMeasure, { description: 'What is measured. For `LATENCY`.' })
  measure!: AlertMeasure;

  @Field(() => AlertRuleFilter, { description: 'Which usage it observes.' })
  filter!: AlertRuleFilter;

  @Field(() => [ID], { description: 'IDs of the `AlertChannel`s that are notified.' })
  channelIds!: string[];

  @Field(() => DateTime, { nullable: true, description: 'Nothing is sent until then. Null if it is not muted.' })
  mutedUntil!: Date | null;

  @Field(() => Boolean, { description: 'Whether it is evaluated.' })
  enabled!: boolean;

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Field(() => [AlertState], {
    description: 'What it last found, firing first. At most one entry per provider, key or budget of the account.',
  })
  states!: AlertState[];
}

@ObjectType({ description: 'A current value of a condition that is not saved.' })
export class AlertReading {
  @Field(() => String, { description: 'Name of the provider, key or budget. Empty for the account.' })
  subject!: string;

  @Field(() => Float, {
    nullable: true,
    description: 'The value in the unit of the kind. Null if there is not enough data.',
  })
  value!: number | null;

  @Field(() => Boolean, { description: 'Whether the alert would fire.' })
  fires!: boolean;
}
