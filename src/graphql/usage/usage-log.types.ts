import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { ApiKey } from '../keys/api-key.types.ts';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Decimal } from '../scalars/decimal.ts';
import { Money } from '../scalars/money.type.ts';

export enum RequestStatus {
  SUCCEEDED = 'succeeded',
  FAILED = 'failed',
  ABORTED = 'aborted',
  INTERRUPTED = 'interrupted',
  REJECTED = 'rejected',
}
registerEnumType(RequestStatus, {
  name: 'RequestStatus',
  description: 'How a request ended.',
  valuesConfig: {
    SUCCEEDED: { description: 'Its caller has the whole answer.' },
    FAILED: { description: 'No provider answered, or one broke off.' },
    ABORTED: { description: 'The caller went away.' },
    INTERRUPTED: { description: 'The server died under it; its usage is estimated.' },
    REJECTED: { description: 'It was refused before a provider was asked: its key, limits, model or body.' },
  },
});

@ObjectType({ description: 'One try at one provider.' })
export class UsageAttempt {
  @Field(() => String, { description: 'Where it went.' })
  provider!: string;

  @Field(() => String, { description: 'What it asked for there.' })
  model!: string;

  @Field(() => Int, { nullable: true, description: 'The HTTP status of the answer; null where there was none.' })
  status!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why it failed, from the error catalogue; null where it did not.',
  })
  error!: string | null;

  @Field(() => String, { nullable: true, description: 'The provider’s type of the error; null where it gave none.' })
  errorType!: string | null;

  @Field(() => String, { nullable: true, description: 'The provider’s code of the error; null where it gave none.' })
  errorCode!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The provider’s message, without secrets and cut to 500 characters; the gateway’s own where the provider gave none. Null for accounts that keep no content.',
  })
  errorMessage!: string | null;

  @Field(() => Int, { description: 'How long it took, in milliseconds.' })
  durationMs!: number;
}

@ObjectType({ description: 'One step of how a cost came about. The steps add up to the cost.' })
export class CostStep {
  @Field(() => String, { description: 'For people.' })
  label!: string;

  @Field(() => Int, { description: '0 where something else is counted.' })
  tokens!: number;

  @Field(() => String, {
    description:
      '`token`, `request`, `image`, `megapixel`, `audio_second`, `video_second`, `character`, `search`, `document` or, of a mark-up, `percent`.',
  })
  unit!: string;

  @Field(() => Decimal, { description: 'How many of the unit.' })
  quantity!: string;

  @Field(() => Decimal, { description: 'USD per so many units as `per` says.' })
  rate!: string;

  @Field(() => Int, { description: 'How many units `rate` is for.' })
  per!: number;

  @Field(() => Money, { description: 'What the step comes to.' })
  amount!: Money;
}

@ObjectType({ description: 'What a request used beyond its four counts of tokens.' })
export class UsageUnit {
  @Field(() => String, {
    description:
      '`cache_write_tokens`, `cache_write_1h_tokens`, `audio_input_tokens`, `audio_output_tokens`, `image_input_tokens`, `image_output_tokens`, `image` …',
  })
  unit!: string;

  @Field(() => Decimal, { description: 'How many of the unit.' })
  quantity!: string;
}

@ObjectType({ description: 'What a request was marked with.' })
export class UsageTag {
  @Field(() => String, { description: 'What it is about.' })
  name!: string;

  @Field(() => String, { description: 'What it says.' })
  value!: string;
}

@ObjectType({ implements: Node, description: 'One settled request.' })
export class UsageLog implements Node {
  @Field(() => ID, { description: 'Global.' })
  id!: string;

  @Field(() => String, { description: 'The `x-request-id` of the answer.' })
  requestId!: string;

  @Field(() => DateTime, { description: 'When the request began.' })
  createdAt!: Date;

  @Field(() => ApiKey, { nullable: true, description: 'Null for a completion from the dashboard.' })
  apiKey?: ApiKey | null;

  @Field(() => ID, { nullable: true, description: 'The user whose key it was.' })
  member!: string | null;

  @Field(() => Int, {
    description:
      'How many requests it stands for: 1, but for rejected ones, whose repeats within a minute are counted together, and 0 for the cost of a video that an earlier request began.',
  })
  requests!: number;

  @Field(() => String, { description: 'What it was for: `chat`, `embeddings`, `images` …' })
  capability!: string;

  @Field(() => String, {
    description: 'The model that answered, or that was to: `provider/model`. Empty where a rejected request has none.',
  })
  model!: string;

  @Field(() => String, {
    description: 'The model or route that the request named. Empty where a rejected request has none.',
  })
  requestedModel!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The model that the provider says answered in its place, by the provider’s own name, where that has another price: the request cost what that one costs.',
  })
  servedModel!: string | null;

  @Field(() => String, {
    description: 'The provider that answered, or that was to. Empty where a rejected request has none.',
  })
  provider!: string;

  @Field(() => RequestStatus, { description: 'How it ended.' })
  status!: RequestStatus;

  @Field(() => Int, { description: 'The HTTP status of the answer; 499 where the caller disconnected.' })
  httpStatus!: number;

  @Field(() => String, { nullable: true, description: 'Why it failed, from the error catalogue.' })
  errorCode!: string | null;

  @Field(() => Boolean, { description: 'Whether the answer was streamed.' })
  streamed!: boolean;

  @Field(() => Boolean, { description: 'True where the tokens were counted here, not reported by the provider.' })
  estimated!: boolean;

  @Field(() => Int, { description: 'All tokens of the input.' })
  inputTokens!: number;

  @Field(() => Int, { description: 'All tokens of the output.' })
  outputTokens!: number;

  @Field(() => Int, { description: 'Part of the input.' })
  cachedTokens!: number;

  @Field(() => Int, { description: 'Part of the output.' })
  reasoningTokens!: number;

  @Field(() => [UsageUnit], { description: 'What else was used.' })
  units!: UsageUnit[];

  @Field(() => Money, { description: 'What it cost the account.' })
  cost!: Money;

  @Field(() => String, {
    description: 'Where its prices are from; `unpriced` where none is known, and the cost is 0 for that reason.',
  })
  priceVersion!: string;

  @Field(() => String, {
    nullable: true,
    description: '`stop`, `length`, `tool_calls`, `content_filter`; null where there is none.',
  })
  finishReason!: string | null;

  @Field(() => Int, { description: 'From the request to the end of its answer, in milliseconds.' })
  durationMs!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Until the first token, in milliseconds; null where there was none.',
  })
  firstTokenMs!: number | null;

  @Field(() => String, { nullable: true, description: 'The caller’s own name of its user.' })
  endUser!: string | null;

  @Field(() => [UsageTag], { description: 'By name.' })
  tags!: UsageTag[];

  @Field(() => [UsageAttempt], { description: 'Every try at a provider, in order.' })
  attempts!: UsageAttempt[];

  @Field(() => [CostStep], { description: 'How the cost was computed, step by step.' })
  explanation!: CostStep[];

  /** For the field `apiKey`; not part of the schema. */
  apiKeyId!: string;

  /** For the field `user`; not part of the schema. */
  memberId!: string | null;
}

@ObjectType({ description: 'An item of a page.' })
export class UsageLogEdge {
  @Field(() => Cursor, { description: 'Where it stands: what `after` and `before` take.' })
  cursor!: string;

  @Field(() => UsageLog, { description: 'The item.' })
  node!: UsageLog;
}

@ObjectType({ description: 'A page of the log, newest first.' })
export class UsageLogConnection {
  @Field(() => [UsageLogEdge], { description: 'With their cursors.' })
  edges!: UsageLogEdge[];

  @Field(() => [UsageLog], { description: 'The same without their cursors.' })
  nodes!: UsageLog[];

  @Field(() => PageInfo, { description: 'Where the page stands.' })
  pageInfo!: PageInfo;
}

@InputType({ description: 'A tag by its name, and by its value where that is given.' })
export class UsageTagFilter {
  @Field(() => String, { description: 'Of a tag, as a whole.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Of the same tag, as a whole; any where absent.' })
  value?: string | null;
}

@InputType({ description: 'What requests must have in common; each that is given narrows.' })
export class UsageLogFilter {
  @Field(() => ID, { nullable: true, description: 'Of an `ApiKey`.' })
  apiKeyId?: string | null;

  @Field(() => String, { nullable: true, description: '`provider/model`, as a whole.' })
  model?: string | null;

  @Field(() => String, { nullable: true, description: 'A part of the model’s name, in any case: `gpt`.' })
  modelContains?: string | null;

  @Field(() => String, { nullable: true, description: 'The prefix of the model’s name.' })
  provider?: string | null;

  @Field(() => RequestStatus, { nullable: true, description: 'How they ended.' })
  status?: RequestStatus | null;

  @Field(() => String, { nullable: true, description: 'The `x-request-id` of an answer.' })
  requestId?: string | null;

  @Field(() => String, { nullable: true, description: 'The caller’s own name of its user, as a whole.' })
  endUser?: string | null;

  @Field(() => UsageTagFilter, { nullable: true, description: 'A tag that they were marked with.' })
  tag?: UsageTagFilter | null;

  @Field(() => DateTime, { nullable: true, description: 'From this moment on.' })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Before this moment.' })
  to?: Date | null;
}
