import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { KeyScope } from './api-key.types.ts';

@ObjectType({
  implements: Node,
  description: 'A token that runs as a key until it ends. The token itself is shown once.',
})
export class AccessToken implements Node {
  @Field(() => ID, { description: 'Global.' })
  id!: string;

  @Field(() => [KeyScope], { description: 'What it may reach.' })
  scopes!: KeyScope[];

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it ends; sooner where its key or the secret that made it does.' })
  expiresAt!: Date;

  /** For the field `apiKey`; not part of the schema. */
  apiKeyId!: string;

  /** For the field `createdBy`; not part of the schema. */
  createdById!: string | null;
}

@ObjectType({ description: 'An item of a page.' })
export class AccessTokenEdge {
  @Field(() => Cursor, { description: 'Where it stands: what `after` and `before` take.' })
  cursor!: string;

  @Field(() => AccessToken, { description: 'The item.' })
  node!: AccessToken;
}

@ObjectType({ description: 'A page of access tokens, newest first.' })
export class AccessTokenConnection {
  @Field(() => [AccessTokenEdge], { description: 'With their cursors.' })
  edges!: AccessTokenEdge[];

  @Field(() => [AccessToken], { description: 'The same without their cursors.' })
  nodes!: AccessToken[];

  @Field(() => PageInfo, { description: 'Where the page stands.' })
  pageInfo!: PageInfo;
}

@ObjectType({ description: 'A token for where a key does not belong, such as a browser.' })
export class CreatedAccessToken {
  @Field(() => String, {
    description:
      'Sent as a key is: `Authorization: Bearer …` under `/v1` and to GraphQL, in `connectionParams` over WebSocket.',
  })
  token!: string;

  @Field(() => DateTime, { description: 'When it ends; sooner where its key does.' })
  expiresAt!: Date;

  @Field(() => [KeyScope], { description: 'What it may reach.' })
  scopes!: KeyScope[];

  @Field(() => AccessToken, { description: 'The same, as it is listed: its `id` is what `revokeAccessToken` takes.' })
  accessToken!: AccessToken;
}

@InputType({ description: 'What a token is made of.' })
export class CreateAccessTokenInput {
  @Field(() => ID, {
    nullable: true,
    description:
      'The key that it runs as, with its limits, budget and models. The calling key where absent. What it spends counts for the member who makes it.',
  })
  apiKeyId?: string | null;

  @Field(() => [KeyScope], { description: 'Of the key’s scopes, those that the token has.' })
  scopes!: KeyScope[];

  @Field(() => Int, { nullable: true, description: 'Up to an hour (3,600); a quarter of an hour where absent.' })
  expiresInSeconds?: number | null;
}
