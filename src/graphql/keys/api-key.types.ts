import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { PageInfo } from '../relay/page.ts';
import { Moderation, ModerationInput } from '../routing/moderation.types.ts';
import { DateTime } from '../scalars/date-time.ts';

export enum KeyScope {
  INFERENCE = 'inference',
  READ = 'read',
  MANAGE = 'manage',
}
registerEnumType(KeyScope, {
  name: 'KeyScope',
  description: 'What a key may reach.',
  valuesConfig: {
    INFERENCE: { description: 'Completions, through REST and GraphQL.' },
    READ: { description: 'Usage, models and the account through GraphQL.' },
    MANAGE: { description: 'Keys through GraphQL.' },
  },
});

@ObjectType({ description: 'A key’s own limits; null means the default.' })
export class KeyLimitSettings {
  @Field(() => Int, { nullable: true })
  requestsPerMinute?: number | null;

  @Field(() => Int, { nullable: true })
  tokensPerMinute?: number | null;

  @Field(() => Int, { nullable: true })
  requestsPerDay?: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests at the same time.' })
  concurrency?: number | null;
}

@ObjectType({ description: 'What a program calls with. Its secret is shown once, when it is made.' })
export class ApiKey {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'The secret’s first and last characters.' })
  hint!: string;

  @Field(() => [KeyScope])
  scopes!: KeyScope[];

  @Field(() => [String], { nullable: true, description: 'The only models that it may use; null allows all.' })
  allowedModels!: string[] | null;

  @Field(() => KeyLimitSettings)
  limits!: KeyLimitSettings;

  @Field(() => Boolean, { description: 'Whether live subscribers of the account see what its completions say.' })
  liveContent!: boolean;

  @Field(() => Int, {
    nullable: true,
    description:
      'How long answers to its requests are kept for requests alike, in seconds; null where it does not say.',
  })
  responseCacheSeconds!: number | null;

  @Field(() => Moderation, {
    nullable: true,
    description: 'What its chats are moderated by, beside what their routes say; null for nothing.',
  })
  moderation!: Moderation | null;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true })
  expiresAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'A few seconds late.' })
  lastUsedAt!: Date | null;

  @Field(() => DateTime, { nullable: true })
  revokedAt!: Date | null;
}

@ObjectType()
export class ApiKeyEdge {
  @Field(() => String)
  cursor!: string;

  @Field(() => ApiKey)
  node!: ApiKey;
}

@ObjectType({ description: 'A page of keys, newest first.' })
export class ApiKeyConnection {
  @Field(() => [ApiKeyEdge])
  edges!: ApiKeyEdge[];

  @Field(() => [ApiKey])
  nodes!: ApiKey[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Over all pages.' })
  totalCount!: number;
}

@ObjectType({ description: 'A new key. The secret is shown here and never again.' })
export class CreatedApiKey {
  @Field(() => String)
  secret!: string;

  @Field(() => ApiKey)
  apiKey!: ApiKey;
}

@InputType()
export class ApiKeyFilter {
  @Field(() => String, { nullable: true })
  nameContains?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Also those that were revoked.' })
  includeRevoked?: boolean | null;
}

@InputType({ description: 'A key’s own limits; an absent one means the default.' })
export class KeyLimits {
  @Field(() => Int, { nullable: true })
  requestsPerMinute?: number | null;

  @Field(() => Int, { nullable: true })
  tokensPerMinute?: number | null;

  @Field(() => Int, { nullable: true })
  requestsPerDay?: number | null;

  @Field(() => Int, { nullable: true })
  concurrency?: number | null;
}

@InputType()
export class CreateApiKeyInput {
  @Field(() => String, { description: '1 to 100 characters.' })
  name!: string;

  @Field(() => [KeyScope], { nullable: true, description: '`INFERENCE` alone where absent.' })
  scopes?: KeyScope[] | null;

  @Field(() => [String], { nullable: true })
  allowedModels?: string[] | null;

  @Field(() => DateTime, { nullable: true })
  expiresAt?: Date | null;

  @Field(() => KeyLimits, { nullable: true })
  limits?: KeyLimits | null;

  @Field(() => Boolean, { nullable: true, description: 'True where absent.' })
  liveContent?: boolean | null;

  @Field(() => Int, { nullable: true, description: 'Up to 30 days. Answers are not kept where absent.' })
  responseCacheSeconds?: number | null;

  @Field(() => ModerationInput, { nullable: true, description: 'What its chats are moderated by.' })
  moderation?: ModerationInput | null;
}

@InputType({ description: 'An absent member stays as it is; null takes it away.' })
export class UpdateApiKeyInput {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => [String], { nullable: true })
  allowedModels?: string[] | null;

  @Field(() => DateTime, { nullable: true })
  expiresAt?: Date | null;

  @Field(() => KeyLimits, { nullable: true })
  limits?: KeyLimits | null;

  @Field(() => Boolean, { nullable: true })
  liveContent?: boolean | null;

  @Field(() => Int, { nullable: true })
  responseCacheSeconds?: number | null;

  @Field(() => ModerationInput, { nullable: true, description: 'What its chats are moderated by.' })
  moderation?: ModerationInput | null;
}
