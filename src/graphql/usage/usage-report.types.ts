import { Field, Float, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { ApiKey } from '../keys/api-key.types.ts';
import { Count } from '../scalars/count.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Money } from '../scalars/money.type.ts';
import { MAX_SUMMED } from '../../services/usage/report/usage-row-sums.ts';
import { FeedbackFilter, RequestStatus, TEXT_FILTER, UsageTag, UsageTagFilter } from './usage-log.types.ts';

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
  description: 'A calendar interval in the account’s time zone.',
  valuesConfig: {
    HOUR: { description: 'One hour, starting at minute 0.' },
    DAY: { description: 'One day, starting at midnight.' },
    WEEK: { description: 'One week, starting on Monday.' },
    MONTH: { description: 'One month, starting on its first day.' },
  },
});

export enum UsageDimension {
  KEY = 'key',
  MODEL = 'model',
  PROVIDER = 'provider',
  CAPABILITY = 'capability',
  MEMBER = 'member',
  TAG = 'tag',
  END_USER = 'endUser',
  ERROR = 'error',
  DAY = 'day',
  HOUR = 'hour',
}
registerEnumType(UsageDimension, {
  name: 'UsageDimension',
  description: 'A dimension that usage can be grouped by.',
  valuesConfig: {
    KEY: { description: 'The API key.' },
    MODEL: { description: 'The model that served the request.' },
    PROVIDER: { description: 'The provider that served the request.' },
    CAPABILITY: { description: 'The capability of the request.' },
    MEMBER: { description: 'The user who owns the API key.' },
    TAG: { description: 'The tag. A request counts once for each of its tags, and not at all without a tag.' },
    END_USER: {
      description:
        'The end user ID that the client sent; null for requests without one. Computed from the request log, as with the filter `endUser`.',
    },
    ERROR: {
      description:
        'The error code; null for requests without an error. Computed from the request log, as with the filter `status`.',
    },
    DAY: { description: 'Same as the interval DAY.' },
    HOUR: { description: 'Same as the interval HOUR.' },
  },
});

@InputType({
  description: 'A time range. Includes `from`, excludes `to`, and is widened to whole quarters of an hour.',
})
export class UsageRange {
  @Field(() => DateTime, { description: 'Start, inclusive.' })
  from!: Date;

  @Field(() => DateTime, { description: 'End, exclusive.' })
  to!: Date;
}

@InputType({
  description:
    'Filters requests. All conditions must match, as in `UsageLogFilter`. With `status`, `isError`, `errorCode`, `endUser`, `tag`, `sessionId`, `traceId`, `feedback`, `text` or `requestId`, totals are computed from the request log: the query takes longer, and its range is limited by the retention of the log.',
})
export class UsageFilter {
  @Field(() => ID, { nullable: true, description: 'ID of an `ApiKey`.' })
  apiKeyId?: string | null;

  @Field(() => String, { nullable: true, description: '`provider/model`, exact match.' })
  model?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Matches requests whose model name contains this text, ignoring case: `gpt`.',
  })
  modelContains?: string | null;

  @Field(() => String, { nullable: true, description: 'The prefix of the model’s name.' })
  provider?: string | null;

  @Field(() => String, { nullable: true, description: '`chat`, `embeddings`, `images` …' })
  capability?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only requests with a tag of this name, grouped by no other tag.',
  })
  tagName?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'ID of a `User`: only requests with API keys that the user owned at the time.',
  })
  memberId?: string | null;

  @Field(() => RequestStatus, { nullable: true, description: 'Outcome of the request.' })
  status?: RequestStatus | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the request failed, was interrupted or was rejected.',
  })
  isError?: boolean | null;

  @Field(() => String, { nullable: true, description: 'The error code from the error catalogue, exact match.' })
  errorCode?: string | null;

  @Field(() => String, { nullable: true, description: 'The `x-request-id` of a response.' })
  requestId?: string | null;

  @Field(() => String, { nullable: true, description: 'The end user ID that the client sent, exact match.' })
  endUser?: string | null;

  @Field(() => UsageTagFilter, { nullable: true, description: 'A tag of the request.' })
  tag?: UsageTagFilter | null;

  @Field(() => String, { nullable: true, description: 'The session that the client named, exact match.' })
  sessionId?: string | null;

  @Field(() => String, { nullable: true, description: 'The trace ID of W3C Trace Context, exact match.' })
  traceId?: string | null;

  @Field(() => FeedbackFilter, { nullable: true, description: 'Only requests with feedback that matches.' })
  feedback?: FeedbackFilter | null;

  @Field(() => String, { nullable: true, description: TEXT_FILTER })
  text?: string | null;
}

@ObjectType({
  description:
    'Latency distribution in milliseconds. Percentiles are estimated from a histogram whose buckets are up to half of the value wide.',
})
export class Latency {
  @Field(() => Float, { description: 'Arithmetic mean, exact.' })
  mean!: number;

  @Field(() => Float, { description: '50th percentile.' })
  p50!: number;

  @Field(() => Float, { description: '90th percentile.' })
  p90!: number;

  @Field(() => Float, { description: '95th percentile.' })
  p95!: number;

  @Field(() => Float, { description: '99th percentile.' })
  p99!: number;
}

@ObjectType({
  description:
    'Output tokens per second from the first token to the end of the response. Measured are streamed responses with more than one output token whose output took at least 100 ms, and that are not from the response cache. Percentiles are estimated from a histogram whose buckets are up to half of the value wide, and wider above 2,000.',
})
export class OutputSpeed {
  @Field(() => Float, {
    description: 'The tokens of all measured responses divided by the time of all their output, exact.',
  })
  mean!: number;

  @Field(() => Float, { description: '50th percentile.' })
  p50!: number;

  @Field(() => Float, { description: '95th percentile: 5% of the responses were faster.' })
  p95!: number;

  @Field(() => Float, { description: '99th percentile: 1% of the responses were faster.' })
  p99!: number;
}

@ObjectType({ description: 'Totals over requests.' })
export class UsageTotals {
  @Field(() => Count, { description: 'Number of requests.' })
  requests!: number;

  @Field(() => Count, {
    description:
      'Number of failed, interrupted and rejected requests. Requests that the client cancelled are not included.',
  })
  errors!: number;

  @Field(() => Count, { description: 'Input tokens, including cached ones.' })
  inputTokens!: number;

  @Field(() => Count, { description: 'Output tokens, including reasoning.' })
  outputTokens!: number;

  @Field(() => Count, { description: 'Cached input tokens. Included in the input tokens.' })
  cachedTokens!: number;

  @Field(() => Count, { description: 'Reasoning tokens. Included in the output tokens.' })
  reasoningTokens!: number;

  @Field(() => Money, { description: 'Cost to the account.' })
  cost!: Money;

  @Field(() => Latency, {
    nullable: true,
    description: 'Time from the request to the end of the response. Null without requests.',
  })
  latency!: Latency | null;

  @Field(() => Latency, { nullable: true, description: 'Time to first token. Null if no request had a first token.' })
  firstToken!: Latency | null;

  @Field(() => OutputSpeed, { nullable: true, description: 'Null if the output speed of no response was measured.' })
  outputSpeed!: OutputSpeed | null;

  @Field(() => Count, {
    description: 'Number of requests of which a part of the input was read from the provider’s prompt cache.',
  })
  promptCacheRequests!: number;

  @Field(() => Money, {
    description:
      'What the providers’ prompt caches saved, compared with the same requests without them. Negative if writing to the caches cost more. Requests without a price are not included.',
  })
  promptCacheSavings!: Money;

  @Field(() => Count, { description: 'Number of requests with a response from the response cache.' })
  responseCacheRequests!: number;

  @Field(() => Money, {
    description:
      'What the response cache saved: for each request, what its response cost when it was generated. Responses without a price are not included.',
  })
  responseCacheSavings!: Money;
}

@ObjectType({ description: 'Usage of one group. Dimensions that are not grouped by are null.' })
export class UsageGroup {
  @Field(() => DateTime, { nullable: true, description: 'Start of the interval.' })
  start!: Date | null;

  @Field(() => ApiKey, { nullable: true, description: 'The API key. Also null for the dashboard’s built-in key.' })
  apiKey?: ApiKey | null;

  @Field(() => String, { nullable: true, description: '`provider/model`.' })
  model!: string | null;

  @Field(() => String, { nullable: true, description: 'The prefix of the model’s name.' })
  provider!: string | null;

  @Field(() => String, { nullable: true, description: '`chat`, `embeddings`, `images` …' })
  capability!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The user who owns the API key. Also null for a key without an owner.',
  })
  member!: string | null;

  @Field(() => UsageTag, { nullable: true, description: 'The tag of the requests.' })
  tag!: UsageTag | null;

  @Field(() => String, {
    nullable: true,
    description: 'The end user ID, if usage is grouped by END_USER. Null for requests without one.',
  })
  endUser!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The error code from the error catalogue, if usage is grouped by ERROR. Null without an error.',
  })
  errorCode!: string | null;

  @Field(() => UsageTotals, { description: 'Totals of the group.' })
  usage!: UsageTotals;

  /** For the field `apiKey`; not part of the schema. */
  apiKeyId!: string | null;
}

@ObjectType({ description: 'The account’s usage in a time range.' })
export class UsageReport {
  @Field(() => DateTime, { description: 'Effective start of the range, aligned to a quarter of an hour.' })
  from!: Date;

  @Field(() => DateTime, { description: 'Effective end of the range, aligned to a quarter of an hour.' })
  to!: Date;

  @Field(() => DateTime, {
    description: `Start of what the totals cover: \`from\`, unless more than ${MAX_SUMMED.toLocaleString('en')} requests match \`filter.text\`. Then the totals and groups are those of the latest ${MAX_SUMMED.toLocaleString('en')}, and this is when the first of these began.`,
  })
  coveredFrom!: Date;

  @Field(() => String, { description: 'The account’s time zone, used for the start of days.' })
  timeZone!: string;

  @Field(() => UsageTotals, { description: 'Totals of all requests from `coveredFrom` to `to` that match the filter.' })
  total!: UsageTotals;

  @Field(() => [UsageGroup], {
    description:
      'Groups ordered by time, then by descending cost. Groups without requests are omitted. Empty if no grouping is requested.',
  })
  groups!: UsageGroup[];

  @Field(() => Boolean, { description: 'Whether there are more groups than `limit`.' })
  truncated!: boolean;
}
