import { Field, Float, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { ApiKey } from '../keys/api-key.types.ts';
import { Count } from '../scalars/count.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Money } from '../scalars/money.type.ts';
import { RequestStatus, UsageTag, UsageTagFilter } from './usage-log.types.ts';

export const DEFAULT_GROUPS = 1_000;
export const MAX_GROUPS = 10_000;

export enum Interval {
  HOUR = 'hour',
  DAY = 'day',
  WEEK = 'week',
  MONTH = 'month',
}
registerEnumType(Interval, {
  name: 'Interval',
  description: 'A stretch of the calendar in the account’s time zone.',
  valuesConfig: {
    HOUR: { description: 'From minute 0 on.' },
    DAY: { description: 'From midnight to midnight.' },
    WEEK: { description: 'From Monday on.' },
    MONTH: { description: 'From the first on.' },
  },
});

export enum UsageDimension {
  KEY = 'key',
  MODEL = 'model',
  PROVIDER = 'provider',
  CAPABILITY = 'capability',
  MEMBER = 'member',
  TAG = 'tag',
  DAY = 'day',
  HOUR = 'hour',
}
registerEnumType(UsageDimension, {
  name: 'UsageDimension',
  description: 'What usage can be grouped by.',
  valuesConfig: {
    KEY: { description: 'The API key.' },
    MODEL: { description: 'The model that answered.' },
    PROVIDER: { description: 'The provider that answered.' },
    CAPABILITY: { description: 'What the request was for.' },
    MEMBER: { description: 'The user whose key it was.' },
    TAG: { description: 'A request counts once for each of its tags, and not at all without one.' },
    DAY: { description: 'The same as the interval DAY.' },
    HOUR: { description: 'The same as the interval HOUR.' },
  },
});

@InputType({ description: 'From one moment up to, not including, another. Widened to whole quarter hours.' })
export class UsageRange {
  @Field(() => DateTime, { description: 'From this moment on.' })
  from!: Date;

  @Field(() => DateTime, { description: 'Before this moment.' })
  to!: Date;
}

@InputType({
  description:
    'What requests must have in common; each that is given narrows, as in `UsageLogFilter`. With `status`, `endUser`, `tag` or `requestId` sums are made of the log itself: they take longer, and go back as far as the log is kept.',
})
export class UsageFilter {
  @Field(() => ID, { nullable: true, description: 'Of an `ApiKey`.' })
  apiKeyId?: string | null;

  @Field(() => String, { nullable: true, description: '`provider/model`, as a whole.' })
  model?: string | null;

  @Field(() => String, { nullable: true, description: 'A part of the model’s name, in any case: `gpt`.' })
  modelContains?: string | null;

  @Field(() => String, { nullable: true, description: 'The prefix of the model’s name.' })
  provider?: string | null;

  @Field(() => String, { nullable: true, description: '`chat`, `embeddings`, `images` …' })
  capability?: string | null;

  @Field(() => String, { nullable: true, description: 'Only requests with a tag of this name, by no other tag.' })
  tagName?: string | null;

  @Field(() => RequestStatus, { nullable: true, description: 'How they ended.' })
  status?: RequestStatus | null;

  @Field(() => String, { nullable: true, description: 'The `x-request-id` of an answer.' })
  requestId?: string | null;

  @Field(() => String, { nullable: true, description: 'The caller’s own name of its user, as a whole.' })
  endUser?: string | null;

  @Field(() => UsageTagFilter, { nullable: true, description: 'A tag that they were marked with.' })
  tag?: UsageTagFilter | null;
}

@ObjectType({
  description:
    'How long requests took, in milliseconds. Percentiles are read from a histogram: they are off by less than the width of its classes, half of the value.',
})
export class Latency {
  @Field(() => Float, { description: 'The sum through the number; exact.' })
  mean!: number;

  @Field(() => Float, { description: 'Half of them took no longer.' })
  p50!: number;

  @Field(() => Float, { description: '90 of 100 took no longer.' })
  p90!: number;

  @Field(() => Float, { description: '95 of 100 took no longer.' })
  p95!: number;

  @Field(() => Float, { description: '99 of 100 took no longer.' })
  p99!: number;
}

@ObjectType({ description: 'Sums over requests.' })
export class UsageTotals {
  @Field(() => Count, { description: 'How many.' })
  requests!: number;

  @Field(() => Count, {
    description: 'Those that failed, were interrupted or rejected. One that its caller left is none.',
  })
  errors!: number;

  @Field(() => Count, { description: 'All tokens of the input.' })
  inputTokens!: number;

  @Field(() => Count, { description: 'All tokens of the output.' })
  outputTokens!: number;

  @Field(() => Count, { description: 'Part of the input.' })
  cachedTokens!: number;

  @Field(() => Count, { description: 'Part of the output.' })
  reasoningTokens!: number;

  @Field(() => Money, { description: 'What they cost the account.' })
  cost!: Money;

  @Field(() => Latency, {
    nullable: true,
    description: 'From the request to the end of its answer; null without requests.',
  })
  latency!: Latency | null;

  @Field(() => Latency, { nullable: true, description: 'Until the first token; null where no request had one.' })
  firstToken!: Latency | null;
}

@ObjectType({ description: 'Usage that has something in common. What it is not grouped by is null.' })
export class UsageGroup {
  @Field(() => DateTime, { nullable: true, description: 'Where its interval begins.' })
  start!: Date | null;

  @Field(() => ApiKey, { nullable: true, description: 'Null also for the dashboard’s own key.' })
  apiKey?: ApiKey | null;

  @Field(() => String, { nullable: true, description: '`provider/model`.' })
  model!: string | null;

  @Field(() => String, { nullable: true, description: 'The prefix of the model’s name.' })
  provider!: string | null;

  @Field(() => String, { nullable: true, description: '`chat`, `embeddings`, `images` …' })
  capability!: string | null;

  @Field(() => ID, { nullable: true, description: 'The user whose key it was; null also for a key that was nobody’s.' })
  member!: string | null;

  @Field(() => UsageTag, { nullable: true, description: 'What its requests were marked with.' })
  tag!: UsageTag | null;

  @Field(() => UsageTotals, { description: 'Of its requests.' })
  usage!: UsageTotals;

  /** For the field `apiKey`; not part of the schema. */
  apiKeyId!: string | null;
}

@ObjectType({ description: 'The account’s usage in a range of time.' })
export class UsageReport {
  @Field(() => DateTime, { description: 'Where it really begins: at a quarter hour.' })
  from!: Date;

  @Field(() => DateTime, { description: 'Where it really ends: at a quarter hour.' })
  to!: Date;

  @Field(() => String, { description: 'The account’s, which its days begin by.' })
  timeZone!: string;

  @Field(() => UsageTotals, { description: 'Of all requests in the range that the filter lets through.' })
  total!: UsageTotals;

  @Field(() => [UsageGroup], {
    description:
      'By time, then the dearest first; those without a request are left out. Empty where nothing is asked to be grouped by.',
  })
  groups!: UsageGroup[];

  @Field(() => Boolean, { description: 'Whether there are more groups than `limit`.' })
  truncated!: boolean;
}
