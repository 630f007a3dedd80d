import { Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { ApiKey } from '../keys/api-key.types.ts';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Decimal } from '../scalars/decimal.ts';
import { Money } from '../scalars/money.type.ts';
import { UsageAttempt } from './attempts/usage-attempt.types.ts';
import { UsageRouting } from './attempts/usage-routing.types.ts';

export enum RequestStatus {
  SUCCEEDED = 'succeeded',
  FAILED = 'failed',
  ABORTED = 'aborted',
  INTERRUPTED = 'interrupted',
  REJECTED = 'rejected',
}
registerEnumType(RequestStatus, {
  name: 'RequestStatus',
  description: 'The outcome of a request.',
  valuesConfig: {
    SUCCEEDED: { description: 'The client received the complete response.' },
    FAILED: { description: 'No provider responded, or the response was interrupted.' },
    ABORTED: { description: 'The client disconnected.' },
    INTERRUPTED: { description: 'The server stopped during the request. The usage is estimated.' },
    REJECTED: {
      description:
        'The request was rejected before it was sent to a provider: because of its key, limits, model or body.',
    },
  },
});

export enum UsageLogOrder {
  TIME_DESC = 'time_desc',
  TIME_ASC = 'time_asc',
  COST_DESC = 'cost_desc',
  COST_ASC = 'cost_asc',
  DURATION_DESC = 'duration_desc',
  DURATION_ASC = 'duration_asc',
  TOKENS_DESC = 'tokens_desc',
  TOKENS_ASC = 'tokens_asc',
}
registerEnumType(UsageLogOrder, {
  name: 'UsageLogOrder',
  description:
    'The sort order of requests. Time sorts all requests; every other order sorts the latest 10,000 that match the filter.',
  valuesConfig: {
    TIME_DESC: { description: 'Newest first.' },
    TIME_ASC: { description: 'Oldest first.' },
    COST_DESC: { description: 'Highest cost first.' },
    COST_ASC: { description: 'Lowest cost first.' },
    DURATION_DESC: { description: 'Longest duration first.' },
    DURATION_ASC: { description: 'Shortest duration first.' },
    TOKENS_DESC: { description: 'Most input and output tokens first.' },
    TOKENS_ASC: { description: 'Fewest input and output tokens first.' },
  },
});

export enum TextProtocol {
  CHAT_COMPLETIONS = 'chat-completions',
  COMPLETIONS = 'completions',
  RESPONSES = 'responses',
  MESSAGES = 'messages',
  GEMINI = 'gemini',
}
registerEnumType(TextProtocol, {
  name: 'TextProtocol',
  description: 'A protocol of text generation.',
  valuesConfig: {
    CHAT_COMPLETIONS: { description: 'OpenAI’s Chat Completions, and completions of the dashboard.' },
    COMPLETIONS: { description: 'OpenAI’s legacy Completions.' },
    RESPONSES: { description: 'OpenAI’s Responses.' },
    MESSAGES: { description: 'Anthropic’s Messages.' },
    GEMINI: { description: 'Google’s Gemini API.' },
  },
});

@ObjectType({ description: 'One step of the cost computation. The steps add up to the cost.' })
export class CostStep {
  @Field(() => String, { description: 'Display label.' })
  label!: string;

  @Field(() => Int, { description: 'Number of tokens. 0 if another unit is counted.' })
  tokens!: number;

  @Field(() => String, {
    description:
      '`token`, `request`, `image`, `megapixel`, `audio_second`, `video_second`, `character`, `search`, `document`, `file_search`, `document_search`, `x_search`, `code_execution` or, for a markup, `percent`.',
  })
  unit!: string;

  @Field(() => Decimal, { description: 'Quantity in `unit`.' })
  quantity!: string;

  @Field(() => Decimal, { description: 'USD per `per` units.' })
  rate!: string;

  @Field(() => Int, { description: 'Number of units that `rate` applies to.' })
  per!: number;

  @Field(() => Money, { description: 'Amount of this step.' })
  amount!: Money;
}

@ObjectType({ description: 'Usage in other units than the four token counts.' })
export class UsageUnit {
  @Field(() => String, {
    description:
      '`cache_write_tokens`, `cache_write_1h_tokens`, `audio_input_tokens`, `audio_output_tokens`, `image_input_tokens`, `image_output_tokens`, `image` …',
  })
  unit!: string;

  @Field(() => Decimal, { description: 'Quantity in `unit`.' })
  quantity!: string;
}

@ObjectType({ description: 'A tag of a request.' })
export class UsageTag {
  @Field(() => String, { description: 'Tag name.' })
  name!: string;

  @Field(() => String, { description: 'Tag value.' })
  value!: string;
}

@ObjectType({ implements: Node, description: 'A settled request.' })
export class UsageLog implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'The `x-request-id` of the response.' })
  requestId!: string;

  @Field(() => DateTime, { description: 'When the request started.' })
  createdAt!: Date;

  @Field(() => ApiKey, { nullable: true, description: 'The API key. Null for a completion from the dashboard.' })
  apiKey?: ApiKey | null;

  @Field(() => ID, { nullable: true, description: 'The user who owns the API key.' })
  member!: string | null;

  @Field(() => Int, {
    description:
      'Number of requests that the entry represents: 1 in general, more for repeated rejected requests, which are aggregated over up to 8 minutes, and 0 for the cost of a video whose request has its own entry.',
  })
  requests!: number;

  @Field(() => String, { description: 'Capability of the request: `chat`, `embeddings`, `images` …' })
  capability!: string;

  @Field(() => TextProtocol, {
    nullable: true,
    description: 'The protocol of the client. Null for other capabilities than `chat`, and if it is not known.',
  })
  protocol!: TextProtocol | null;

  @Field(() => String, {
    description:
      'The model that served the request, or was selected for it: `provider/model`. Can be empty for a rejected request.',
  })
  model!: string;

  @Field(() => String, {
    description: 'The model or route in the request. Can be empty for a rejected request.',
  })
  requestedModel!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The model that the provider reports to have used instead, by the provider’s own name. Only set if its price differs: the request is billed at the price of this model.',
  })
  servedModel!: string | null;

  @Field(() => String, {
    description: 'The provider that served the request, or was selected for it. Can be empty for a rejected request.',
  })
  provider!: string;

  @Field(() => RequestStatus, { description: 'Outcome of the request.' })
  status!: RequestStatus;

  @Field(() => Int, { description: 'HTTP status of the response. 499 if the client disconnected.' })
  httpStatus!: number;

  @Field(() => String, { nullable: true, description: 'The error code from the error catalogue.' })
  errorCode!: string | null;

  @Field(() => Boolean, { description: 'Whether the response was streamed.' })
  streamed!: boolean;

  @Field(() => Boolean, {
    description: 'Whether the tokens were estimated by the gateway instead of reported by the provider.',
  })
  estimated!: boolean;

  @Field(() => Int, { description: 'Input tokens, including cached ones.' })
  inputTokens!: number;

  @Field(() => Int, { description: 'Output tokens, including reasoning.' })
  outputTokens!: number;

  @Field(() => Int, { description: 'Cached input tokens. Included in the input tokens.' })
  cachedTokens!: number;

  @Field(() => Int, { description: 'Reasoning tokens. Included in the output tokens.' })
  reasoningTokens!: number;

  @Field(() => [UsageUnit], { description: 'Other units used.' })
  units!: UsageUnit[];

  @Field(() => Money, { description: 'Cost to the account.' })
  cost!: Money;

  @Field(() => Boolean, { description: 'Whether no price is known. The cost is then 0.' })
  isUnpriced!: boolean;

  @Field(() => String, {
    description: 'Source of the prices. `unpriced` if no price is known; the cost is then 0.',
  })
  priceVersion!: string;

  @Field(() => String, {
    nullable: true,
    description: '`stop`, `length`, `tool_calls` or `content_filter`. Null if there is none.',
  })
  finishReason!: string | null;

  @Field(() => Int, { description: 'Time from the request to its settlement, in milliseconds.' })
  durationMs!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Time to first token, in milliseconds. Null if there was no token.',
  })
  firstTokenMs!: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Time until the request was admitted, with its limits reserved, in milliseconds. Null if it was not, and for requests of earlier versions.',
  })
  admittedMs!: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Time until the last output was sent to the client, in milliseconds. The end of a complete response is sent directly after the settlement. Null if there was no output, and for requests of earlier versions.',
  })
  lastOutputMs!: number | null;

  @Field(() => String, { nullable: true, description: 'The end user ID that the client sent.' })
  endUser!: string | null;

  @Field(() => [UsageTag], { description: 'Tags, sorted by name.' })
  tags!: UsageTag[];

  @Field(() => String, {
    nullable: true,
    description:
      'The session that the client named: `x-sluice-session-id`, `session_id` of the `metadata`, or the header of an agent.',
  })
  sessionId!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'What the request is a part of, as the client named it: the `requestId` of another request, or any name (`x-sluice-parent-id`).',
  })
  parentId!: string | null;

  @Field(() => String, { nullable: true, description: 'The trace ID of W3C Trace Context (`traceparent`).' })
  traceId!: string | null;

  @Field(() => [UsageAttempt], { description: 'All attempts at providers, in order.' })
  attempts!: UsageAttempt[];

  @Field(() => UsageRouting, {
    nullable: true,
    description: 'How the targets were selected. Null for routes with one target, and if it was not recorded.',
  })
  routing!: UsageRouting | null;

  @Field(() => Money, {
    nullable: true,
    description:
      'What the provider’s prompt cache saved, compared with the same request without it. Negative if writing to the cache cost more. Null if the cache was not used, or no price is known.',
  })
  cacheSavings!: Money | null;

  @Field(() => [CostStep], { description: 'Computation of the cost, step by step.' })
  explanation!: CostStep[];

  /** For the field `apiKey`; not part of the schema. */
  apiKeyId!: string;

  /** For the field `user`; not part of the schema. */
  memberId!: string | null;
}

@ObjectType({ description: 'An item with its cursor.' })
export class UsageLogEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => UsageLog, { description: 'The item.' })
  node!: UsageLog;
}

@ObjectType({ description: 'A page of the request log.' })
export class UsageLogConnection {
  @Field(() => [UsageLogEdge], { description: 'The items with their cursors.' })
  edges!: UsageLogEdge[];

  @Field(() => [UsageLog], { description: 'The items without their cursors.' })
  nodes!: UsageLog[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}

@InputType({ description: 'Matches a tag by its name and, if given, its value.' })
export class UsageTagFilter {
  @Field(() => String, { description: 'Tag name, exact match.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Tag value, exact match. Default: any value.' })
  value?: string | null;
}

@InputType({ description: 'Matches feedback for which all conditions hold: any feedback if there are none.' })
export class FeedbackFilter {
  @Field(() => String, { nullable: true, description: 'Name of the feedback, exact match.' })
  name?: string | null;

  @Field(() => Float, { nullable: true, description: 'The value is below this. Booleans count 0 and 1.' })
  below?: number | null;

  @Field(() => Float, { nullable: true, description: 'The value is above this. Booleans count 0 and 1.' })
  above?: number | null;

  @Field(() => Float, { nullable: true, description: 'The value is this. Booleans count 0 and 1.' })
  equals?: number | null;

  @Field(() => String, { nullable: true, description: 'The category, exact match.' })
  category?: string | null;
}

export const TEXT_FILTER =
  'Only requests whose logged content has these words, where the account’s content logging has `search`. All must occur; `"…"` finds a phrase, `or` either, `-` excludes. Up to 256 characters. Requires the permission `logged_content.read`.';

@InputType({ description: 'Filters requests. All conditions must match.' })
export class UsageLogFilter {
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

  @Field(() => DateTime, { nullable: true, description: 'Start, inclusive.' })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'End, exclusive.' })
  to?: Date | null;
}
