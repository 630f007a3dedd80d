import { Field, Float, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { ApiKey } from '../keys/api-key.types.ts';
import { Node } from '../relay/node.types.ts';
import { Count } from '../scalars/count.ts';
import { DateTime } from '../scalars/date-time.ts';

export enum FeedbackDimension {
  MODEL = 'model',
  ROUTE = 'route',
  KEY = 'key',
}
registerEnumType(FeedbackDimension, {
  name: 'FeedbackDimension',
  description: 'What feedback is grouped by.',
  valuesConfig: {
    MODEL: { description: 'The model that served the request.' },
    ROUTE: { description: 'The model or route in the request.' },
    KEY: { description: 'The API key of the request.' },
  },
});

@ObjectType({
  implements: Node,
  description: 'What a client or a member says of the quality of a request or a session. One of its values is set.',
})
export class Feedback implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'The `requestId` of the request. Null for that of a session.' })
  requestId!: string | null;

  @Field(() => String, { nullable: true, description: 'The `sessionId` of the session. Null for that of a request.' })
  sessionId!: string | null;

  @Field(() => String, { description: 'What was judged: `feedback`, or a name of the client’s.' })
  name!: string;

  @Field(() => Boolean, { nullable: true, description: 'The value, if it is a boolean.' })
  boolean!: boolean | null;

  @Field(() => Float, { nullable: true, description: 'The value, if it is a number.' })
  number!: number | null;

  @Field(() => String, { nullable: true, description: 'The value, if it is a category.' })
  category!: string | null;

  @Field(() => String, { nullable: true, description: 'The comment.' })
  comment!: string | null;

  @Field(() => DateTime, { description: 'When it was first given.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: Date;

  /** For the field `isOwn`; not part of the schema. */
  authorId!: string;
}

@InputType({
  description:
    'Feedback on a request or a session, which replaces that of the same name by the same key or user. Give one of `boolean`, `number` and `category`.',
})
export class FeedbackInput {
  @Field(() => String, { nullable: true, description: 'The `requestId` of a request. Either this or `sessionId`.' })
  requestId?: string | null;

  @Field(() => String, { nullable: true, description: 'The `sessionId` of a session. Either this or `requestId`.' })
  sessionId?: string | null;

  @Field(() => String, { nullable: true, description: 'What is judged. Default: `feedback`.' })
  name?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Good or bad.' })
  boolean?: boolean | null;

  @Field(() => Float, { nullable: true, description: 'A score.' })
  number?: number | null;

  @Field(() => String, { nullable: true, description: 'A category of up to 256 characters.' })
  category?: string | null;

  @Field(() => String, { nullable: true, description: 'A comment of up to 4,096 bytes.' })
  comment?: string | null;
}

@ObjectType({ description: 'Feedback of one name on requests. Dimensions that are not grouped by are null.' })
export class FeedbackGroup {
  @Field(() => String, { description: 'The name of the feedback.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'The model that served the requests: `provider/model`.' })
  model!: string | null;

  @Field(() => String, { nullable: true, description: 'The model or route in the requests.' })
  route!: string | null;

  @Field(() => ApiKey, { nullable: true, description: 'The API key of the requests. Also null for the dashboard’s.' })
  apiKey?: ApiKey | null;

  @Field(() => Count, { description: 'Number of values.' })
  count!: number;

  @Field(() => Count, { description: 'Number of values that are booleans or numbers.' })
  scored!: number;

  @Field(() => Float, { nullable: true, description: 'Their mean; booleans count 0 and 1. Null if there are none.' })
  mean!: number | null;

  /** For the field `apiKey`; not part of the schema. */
  apiKeyId!: string | null;
}
