import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../scalars/date-time.ts';
import { ApiKey, KeyScope } from './api-key.types.ts';

@ObjectType({ description: 'A key with its new secret, which is shown here and never again.' })
export class RotatedApiKey {
  @Field(() => String, { description: 'The new secret.' })
  secret!: string;

  @Field(() => ApiKey, { description: 'The same key: its limits, budget and usage go on.' })
  apiKey!: ApiKey;
}

@InputType({ description: 'Which key is given another secret, and how long the one before works beside it.' })
export class RotateApiKeyInput {
  @Field(() => ID, { description: 'The key.' })
  id!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'For how long the secret before works too: 0 for not at all, up to 30 days (2,592,000), a day where absent. A secret of an earlier rotation that still worked ends now.',
  })
  overlapSeconds?: number | null;
}

@ObjectType({ description: 'A token for where a key does not belong, such as a browser.' })
export class CreatedAccessToken {
  @Field(() => String, {
    description:
      'Sent as a key is: `Authorization: Bearer …` under `/v1` and to GraphQL, `connectionParams.authorization` over WebSocket.',
  })
  token!: string;

  @Field(() => DateTime, { description: 'When it ends; sooner where its key does.' })
  expiresAt!: Date;

  @Field(() => [KeyScope], { description: 'What it may reach.' })
  scopes!: KeyScope[];
}

@InputType({ description: 'What a token is made of.' })
export class CreateAccessTokenInput {
  @Field(() => ID, {
    nullable: true,
    description: 'The key that it runs as, with its limits, budget and models. The calling key where absent.',
  })
  apiKeyId?: string | null;

  @Field(() => [KeyScope], { description: 'Of the key’s scopes, those that the token has.' })
  scopes!: KeyScope[];

  @Field(() => Int, { nullable: true, description: 'Up to an hour (3,600); a quarter of an hour where absent.' })
  expiresInSeconds?: number | null;
}
