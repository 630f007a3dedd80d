import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { JsonValue } from '../scalars/json.ts';
import { Money } from '../scalars/money.type.ts';

export enum ResponseStatus {
  QUEUED = 'queued',
  IN_PROGRESS = 'in_progress',
  COMPLETED = 'completed',
  INCOMPLETE = 'incomplete',
  FAILED = 'failed',
  CANCELLED = 'cancelled',
}
registerEnumType(ResponseStatus, {
  name: 'ResponseStatus',
  description: 'The status of a response.',
  valuesConfig: {
    QUEUED: { description: 'Stored. No provider has started to respond.' },
    IN_PROGRESS: { description: 'The model is generating.' },
    COMPLETED: { description: 'The response is complete.' },
    INCOMPLETE: { description: 'The response was truncated by its token limit or a content filter.' },
    FAILED: { description: 'The response failed.' },
    CANCELLED: { description: 'The response was cancelled.' },
  },
});

@ObjectType({ description: 'Why a response failed.' })
export class ResponseError {
  @Field(() => String, { description: 'Machine-readable error code.' })
  code!: string;

  @Field(() => String, { description: 'Human-readable message.' })
  message!: string;
}

@ObjectType({
  implements: Node,
  description: 'A stored response, created by `POST /v1/responses` and stored for 30 days.',
})
export class ModelResponse implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'The ID in the REST API: `resp_…`.' })
  responseId!: string;

  @Field(() => String, { description: 'The requested model name.' })
  model!: string;

  @Field(() => ResponseStatus, { description: 'Current status.' })
  status!: ResponseStatus;

  @Field(() => Boolean, {
    description: 'Whether the response runs in the background, independent of the client’s connection.',
  })
  background!: boolean;

  @Field(() => String, { description: 'The text that the model generated so far.' })
  outputText!: string;

  @Field(() => JsonValue, { description: 'The complete response, as returned by `GET /v1/responses/{responseId}`.' })
  body!: unknown;

  @Field(() => ResponseError, { nullable: true, description: 'Null if it has not failed.' })
  error!: ResponseError | null;

  @Field(() => String, {
    nullable: true,
    description: 'The `responseId` of the previous response in the conversation.',
  })
  previousResponseId!: string | null;

  @Field(() => Money, { nullable: true, description: 'Null until the response has ended, and if the cost is unknown.' })
  cost!: Money | null;

  @Field(() => DateTime, { description: 'Start time.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the response ended.' })
  completedAt!: Date | null;

  @Field(() => DateTime, { description: 'When the response is deleted.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'An item with its cursor.' })
export class ModelResponseEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => ModelResponse, { description: 'The item.' })
  node!: ModelResponse;
}

@ObjectType({ description: 'A page of responses, newest first.' })
export class ModelResponseConnection {
  @Field(() => [ModelResponseEdge], { description: 'The items with their cursors.' })
  edges!: ModelResponseEdge[];

  @Field(() => [ModelResponse], { description: 'The items without their cursors.' })
  nodes!: ModelResponse[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}

@ObjectType({ description: 'An event of a background response, as streamed by the REST API.' })
export class ResponseEvent {
  @Field(() => Int, { description: 'Sequence number, from 0. Pass it as `after` to resume.' })
  sequenceNumber!: number;

  @Field(() => String, { description: 'Event type, such as `response.output_text.delta`.' })
  type!: string;

  @Field(() => String, { nullable: true, description: 'New text. Null if the event has none.' })
  delta!: string | null;

  @Field(() => JsonValue, { description: 'The complete event.' })
  body!: unknown;
}
