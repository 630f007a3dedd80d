import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { PageArgs, PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { JsonValue } from '../scalars/json.ts';

@ObjectType({
  implements: Node,
  description:
    'A conversation that is stored here, created by `POST /v1/conversations`: responses of every model continue it. Those that a provider stores are not listed.',
})
export class Conversation implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'The ID in the REST API: `conv_…`.' })
  conversationId!: string;

  @Field(() => JsonValue, { description: 'Names and values that the client attached.' })
  metadata!: unknown;

  @Field(() => Int, { description: 'Number of items.' })
  itemCount!: number;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date;
}

@ObjectType({ description: 'An item with its cursor.' })
export class ConversationEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => Conversation, { description: 'The item.' })
  node!: Conversation;
}

@ObjectType({ description: 'A page of conversations, newest first.' })
export class ConversationConnection {
  @Field(() => [ConversationEdge], { description: 'The items with their cursors.' })
  edges!: ConversationEdge[];

  @Field(() => [Conversation], { description: 'The items without their cursors.' })
  nodes!: Conversation[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}

@ObjectType({ description: 'An item of a conversation: a message, a call of a tool or its output, reasoning.' })
export class ConversationItem {
  @Field(() => String, { description: 'Its ID in the REST API.' })
  itemId!: string;

  @Field(() => String, { description: 'Its type, such as `message` or `function_call`.' })
  type!: string;

  @Field(() => String, { nullable: true, description: 'The role of a message; null for other items.' })
  role!: string | null;

  @Field(() => String, { description: 'The text of a message; empty if it has none.' })
  text!: string;

  @Field(() => JsonValue, {
    description: 'The complete item, as returned by `GET /v1/conversations/{conversationId}/items/{itemId}`.',
  })
  body!: unknown;
}

@ObjectType({ description: 'An item with its cursor.' })
export class ConversationItemEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => ConversationItem, { description: 'The item.' })
  node!: ConversationItem;
}

@ObjectType({ description: 'A page of the items of a conversation, oldest first.' })
export class ConversationItemConnection {
  @Field(() => [ConversationItemEdge], { description: 'The items with their cursors.' })
  edges!: ConversationItemEdge[];

  @Field(() => [ConversationItem], { description: 'The items without their cursors.' })
  nodes!: ConversationItem[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}

@ArgsType()
export class ConversationItemsArgs extends PageArgs {
  @Field(() => ID, { description: 'The `id` or the `conversationId`.' })
  conversationId!: string;
}
