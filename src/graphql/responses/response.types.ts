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
  description: 'How a response stands.',
  valuesConfig: {
    QUEUED: { description: 'It is stored, and no provider has begun to answer.' },
    IN_PROGRESS: { description: 'Its model answers.' },
    COMPLETED: { description: 'The answer is whole.' },
    INCOMPLETE: { description: 'The answer was cut: by its limit of tokens, or by a filter.' },
    FAILED: { description: 'It ended with an error.' },
    CANCELLED: { description: 'Somebody ended it.' },
  },
});

@ObjectType({ description: 'Why a response failed.' })
export class ResponseError {
  @Field(() => String, { description: 'For programs.' })
  code!: string;

  @Field(() => String, { description: 'For people.' })
  message!: string;
}

@ObjectType({
  implements: Node,
  description: 'A response that was stored: made by `POST /v1/responses`, kept for 30 days.',
})
export class ModelResponse implements Node {
  @Field(() => ID, { description: 'Global.' })
  id!: string;

  @Field(() => String, { description: 'Its id on the REST surface: `resp_…`.' })
  responseId!: string;

  @Field(() => String, { description: 'As it was asked for.' })
  model!: string;

  @Field(() => ResponseStatus, { description: 'How it stands.' })
  status!: ResponseStatus;

  @Field(() => Boolean, { description: 'Whether it runs on when nobody waits for it.' })
  background!: boolean;

  @Field(() => String, { description: 'What the model said; empty while it has said nothing.' })
  outputText!: string;

  @Field(() => JsonValue, { description: 'All of it, as `GET /v1/responses/{responseId}` answers.' })
  body!: unknown;

  @Field(() => ResponseError, { nullable: true, description: 'Null where it has not failed.' })
  error!: ResponseError | null;

  @Field(() => String, { nullable: true, description: 'The `responseId` of the response that it continues.' })
  previousResponseId!: string | null;

  @Field(() => Money, { nullable: true, description: 'Null until it has ended, and where it is not known.' })
  cost!: Money | null;

  @Field(() => DateTime, { description: 'When it was begun.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it ended.' })
  completedAt!: Date | null;

  @Field(() => DateTime, { description: 'Until when it is kept.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'An item of a page.' })
export class ModelResponseEdge {
  @Field(() => Cursor, { description: 'Where it stands: what `after` and `before` take.' })
  cursor!: string;

  @Field(() => ModelResponse, { description: 'The item.' })
  node!: ModelResponse;
}

@ObjectType({ description: 'A page of responses, newest first.' })
export class ModelResponseConnection {
  @Field(() => [ModelResponseEdge], { description: 'With their cursors.' })
  edges!: ModelResponseEdge[];

  @Field(() => [ModelResponse], { description: 'The same without their cursors.' })
  nodes!: ModelResponse[];

  @Field(() => PageInfo, { description: 'Where the page stands.' })
  pageInfo!: PageInfo;
}

@ObjectType({ description: 'One event of a background response, as its stream on the REST surface tells it.' })
export class ResponseEvent {
  @Field(() => Int, { description: 'From 0, by one: what `after` takes.' })
  sequenceNumber!: number;

  @Field(() => String, { description: 'Such as `response.output_text.delta`.' })
  type!: string;

  @Field(() => String, { nullable: true, description: 'What is new of a text; null where the event brings none.' })
  delta!: string | null;

  @Field(() => JsonValue, { description: 'All of it.' })
  body!: unknown;
}
