import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { ApiKey } from '../keys/api-key.types.ts';
import { PageInfo } from '../relay/page.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Decimal } from '../scalars/decimal.ts';
import { Money } from '../scalars/money.type.ts';

export enum RequestStatus {
  SUCCEEDED = 'succeeded',
  FAILED = 'failed',
  ABORTED = 'aborted',
  INTERRUPTED = 'interrupted',
}
registerEnumType(RequestStatus, {
  name: 'RequestStatus',
  description: 'How a request ended.',
  valuesConfig: {
    ABORTED: { description: 'The caller went away.' },
    INTERRUPTED: { description: 'The server died under it; its usage is estimated.' },
  },
});

@ObjectType({ description: 'One try at one provider.' })
export class UsageAttempt {
  @Field(() => String)
  provider!: string;

  @Field(() => String)
  model!: string;

  @Field(() => Int, { nullable: true })
  status!: number | null;

  @Field(() => String, { nullable: true })
  error!: string | null;

  @Field(() => Int)
  durationMs!: number;
}

@ObjectType({ description: 'One step of how a cost came about. The steps add up to the cost.' })
export class CostStep {
  @Field(() => String)
  label!: string;

  @Field(() => Int, { description: '0 where something else is counted.' })
  tokens!: number;

  @Field(() => String, {
    description:
      '`token`, `request`, `image`, `megapixel`, `audio_second`, `video_second`, `character`, `search` or `document`.',
  })
  unit!: string;

  @Field(() => Decimal, { description: 'How many of the unit.' })
  quantity!: string;

  @Field(() => Decimal, { description: 'USD per so many units as `per` says.' })
  rate!: string;

  @Field(() => Int)
  per!: number;

  @Field(() => Money)
  amount!: Money;
}

@ObjectType({ description: 'What a request used beyond its four counts of tokens.' })
export class UsageUnit {
  @Field(() => String, {
    description:
      '`cache_write_tokens`, `cache_write_1h_tokens`, `audio_input_tokens`, `audio_output_tokens`, `image_input_tokens`, `image_output_tokens`, `image` …',
  })
  unit!: string;

  @Field(() => Decimal)
  quantity!: string;
}

@ObjectType({ description: 'One settled request.' })
export class UsageLog {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: 'The `x-request-id` of the answer.' })
  requestId!: string;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => ApiKey, { nullable: true, description: 'Null for a completion from the dashboard.' })
  apiKey?: ApiKey | null;

  @Field(() => ID, { nullable: true, description: 'The user whose key it was.' })
  member!: string | null;

  @Field(() => String)
  capability!: string;

  @Field(() => String)
  model!: string;

  @Field(() => String)
  provider!: string;

  @Field(() => RequestStatus)
  status!: RequestStatus;

  @Field(() => String, { nullable: true, description: 'Why it failed, from the error catalogue.' })
  errorCode!: string | null;

  @Field(() => Boolean)
  streamed!: boolean;

  @Field(() => Boolean, { description: 'True where the tokens were counted here, not reported by the provider.' })
  estimated!: boolean;

  @Field(() => Int)
  inputTokens!: number;

  @Field(() => Int)
  outputTokens!: number;

  @Field(() => Int, { description: 'Part of the input.' })
  cachedTokens!: number;

  @Field(() => Int, { description: 'Part of the output.' })
  reasoningTokens!: number;

  @Field(() => [UsageUnit], { description: 'What else was used.' })
  units!: UsageUnit[];

  @Field(() => Money)
  cost!: Money;

  @Field(() => String, {
    description: 'Where its prices are from; `unpriced` where none is known, and the cost is 0 for that reason.',
  })
  priceVersion!: string;

  @Field(() => String, { nullable: true })
  finishReason!: string | null;

  @Field(() => Int)
  durationMs!: number;

  @Field(() => Int, { nullable: true })
  firstTokenMs!: number | null;

  @Field(() => String, { nullable: true, description: 'The caller’s own name of its user.' })
  endUser!: string | null;

  @Field(() => [UsageAttempt])
  attempts!: UsageAttempt[];

  @Field(() => [CostStep], { description: 'How the cost was computed, step by step.' })
  explanation!: CostStep[];

  /** For the field `apiKey`; not part of the schema. */
  apiKeyId!: string;
}

@ObjectType()
export class UsageLogEdge {
  @Field(() => String)
  cursor!: string;

  @Field(() => UsageLog)
  node!: UsageLog;
}

@ObjectType({ description: 'A page of the log, newest first.' })
export class UsageLogConnection {
  @Field(() => [UsageLogEdge])
  edges!: UsageLogEdge[];

  @Field(() => [UsageLog])
  nodes!: UsageLog[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;
}

@InputType()
export class UsageLogFilter {
  @Field(() => ID, { nullable: true })
  apiKeyId?: string | null;

  @Field(() => String, { nullable: true, description: '`provider/model`.' })
  model?: string | null;

  @Field(() => String, { nullable: true })
  provider?: string | null;

  @Field(() => RequestStatus, { nullable: true })
  status?: RequestStatus | null;

  @Field(() => String, { nullable: true, description: 'The `x-request-id` of an answer.' })
  requestId?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'From this moment on.' })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Before this moment.' })
  to?: Date | null;
}
