import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { PageArgs, PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { JsonValue } from '../scalars/json.ts';
import { Money } from '../scalars/money.type.ts';

@ObjectType({
  implements: Node,
  description:
    'A stored chat completion, created by `POST /v1/chat/completions` with `store: true` and stored for 30 days.',
})
export class ChatCompletion implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'The ID in the REST API: `chatcmpl-…`.' })
  completionId!: string;

  @Field(() => String, { description: 'The requested model name.' })
  model!: string;

  @Field(() => JsonValue, { description: 'Names and values that the client attached.' })
  metadata!: unknown;

  @Field(() => String, { description: 'The text that the model generated, of all choices.' })
  outputText!: string;

  @Field(() => JsonValue, {
    description: 'The complete completion, as returned by `GET /v1/chat/completions/{completionId}`.',
  })
  body!: unknown;

  @Field(() => Money, { nullable: true, description: 'Null if the cost is unknown.' })
  cost!: Money | null;

  @Field(() => DateTime, { description: 'When the request began.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When the completion is deleted.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'An item with its cursor.' })
export class ChatCompletionEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => ChatCompletion, { description: 'The item.' })
  node!: ChatCompletion;
}

@ObjectType({ description: 'A page of chat completions, newest first.' })
export class ChatCompletionConnection {
  @Field(() => [ChatCompletionEdge], { description: 'The items with their cursors.' })
  edges!: ChatCompletionEdge[];

  @Field(() => [ChatCompletion], { description: 'The items without their cursors.' })
  nodes!: ChatCompletion[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}

@InputType({ description: 'Matches a member of the metadata.' })
export class MetadataFilter {
  @Field(() => String, { description: 'Name, exact match.' })
  name!: string;

  @Field(() => String, { description: 'Value, exact match.' })
  value!: string;
}

@InputType({ description: 'Filters chat completions. All conditions must match.' })
export class ChatCompletionFilter {
  @Field(() => String, { nullable: true, description: 'As requested, or as the completion names it, exact match.' })
  model?: string | null;

  @Field(() => [MetadataFilter], { nullable: true, description: 'Members of the metadata.' })
  metadata?: MetadataFilter[] | null;
}

@ArgsType()
export class ChatCompletionArgs extends PageArgs {
  @Field(() => ChatCompletionFilter, { nullable: true, description: 'Default: all completions.' })
  filter?: ChatCompletionFilter | null;
}
