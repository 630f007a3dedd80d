import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { ApiKey } from './api-key.types.ts';

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
