import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { KeyScope } from './api-key.types.ts';

@ObjectType({
  implements: Node,
  description: 'A short-lived token that acts as an API key. The token itself is shown once.',
})
export class AccessToken implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => [KeyScope], { description: 'Granted scopes.' })
  scopes!: KeyScope[];

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    description: 'When the token expires. It also ends when its key, or the secret that created it, becomes invalid.',
  })
  expiresAt!: Date;

  /** For the field `apiKey`; not part of the schema. */
  apiKeyId!: string;

  /** For the field `createdBy`; not part of the schema. */
  createdById!: string | null;
}

@ObjectType({ description: 'An item with its cursor.' })
export class AccessTokenEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => AccessToken, { description: 'The item.' })
  node!: AccessToken;
}

@ObjectType({ description: 'A page of access tokens, newest first.' })
export class AccessTokenConnection {
  @Field(() => [AccessTokenEdge], { description: 'The items with their cursors.' })
  edges!: AccessTokenEdge[];

  @Field(() => [AccessToken], { description: 'The items without their cursors.' })
  nodes!: AccessToken[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}

@ObjectType({ description: 'An access token, for use where an API key must not be exposed, such as a browser.' })
export class CreatedAccessToken {
  @Field(() => String, {
    description:
      'The token. Send it like an API key: as `Authorization: Bearer …` to `/v1` and GraphQL, or in `connectionParams` over WebSocket.',
  })
  token!: string;

  @Field(() => DateTime, { description: 'When the token expires. It also ends when its key becomes invalid.' })
  expiresAt!: Date;

  @Field(() => [KeyScope], { description: 'Granted scopes.' })
  scopes!: KeyScope[];

  @Field(() => AccessToken, { description: 'The token as listed. Its `id` is used for `revokeAccessToken`.' })
  accessToken!: AccessToken;
}

@InputType({ description: 'The properties of an access token.' })
export class CreateAccessTokenInput {
  @Field(() => ID, {
    nullable: true,
    description:
      'The key that the token acts as, with its limits, budget and models. Default: the calling key. Spending counts toward the member who creates the token.',
  })
  apiKeyId?: string | null;

  @Field(() => [KeyScope], { description: 'Scopes of the token, a subset of the key’s scopes.' })
  scopes!: KeyScope[];

  @Field(() => Int, { nullable: true, description: 'Lifetime in seconds. Maximum 3,600, default 900.' })
  expiresInSeconds?: number | null;
}
