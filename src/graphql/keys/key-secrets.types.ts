import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { ApiKey } from './api-key.types.ts';

@ObjectType({ description: 'An API key with its new secret. The secret is shown once.' })
export class RotatedApiKey {
  @Field(() => String, { description: 'The new secret.' })
  secret!: string;

  @Field(() => ApiKey, { description: 'The same key. Its limits, budget and usage do not change.' })
  apiKey!: ApiKey;
}

@InputType({ description: 'The key whose secret is replaced, and how long the previous secret stays valid.' })
export class RotateApiKeyInput {
  @Field(() => ID, { description: 'ID of an `ApiKey`.' })
  id!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'How long the previous secret stays valid, in seconds. 0 ends it immediately. Maximum 2,592,000 (30 days), default 86,400 (one day). Secrets of earlier rotations become invalid immediately.',
  })
  overlapSeconds?: number | null;
}
