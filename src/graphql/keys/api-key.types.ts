import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Requires } from '../access.ts';
import { Role } from '../accounts/account.types.ts';
import { Budget } from '../budgets/budget.input.ts';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Moderation, ModerationInput } from '../routing/moderation.types.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { KeyLimits, KeyLimitSettings } from './key-limits.types.ts';

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
    MANAGE: { description: 'What the key’s role may change, through GraphQL.' },
  },
});

@ObjectType({
  implements: Node,
  description:
    'What a program calls with. Its secret is shown once, when it is made. Who sees a key elsewhere than in `apiKeys`, as in usage, sees its `id` and `name`; the rest asks for what `apiKeys` asks for.',
})
export class ApiKey implements Node {
  @Field(() => ID, { description: 'Global.' })
  id!: string;

  @Field(() => String, { description: 'For people.' })
  name!: string;

  @Requires('keys.read')
  @Field(() => String, { description: 'The secret’s first and last characters.' })
  hint!: string;

  @Requires('keys.read')
  @Field(() => [KeyScope], { description: 'What it may reach.' })
  scopes!: KeyScope[];

  @Requires('keys.read')
  @Field(() => Role, {
    nullable: true,
    description:
      'What it acts as where it manages, within what its maker is now; null for a key without the scope `MANAGE`.',
  })
  role!: Role | null;

  @Requires('keys.read')
  @Field(() => [String], { nullable: true, description: 'The only models that it may use; null allows all.' })
  allowedModels!: string[] | null;

  @Requires('keys.read')
  @Field(() => KeyLimitSettings, { description: 'Its own limits.' })
  limits!: KeyLimitSettings;

  @Requires('keys.read')
  @Field(() => Boolean, { description: 'Whether live subscribers of the account see what its completions say.' })
  liveContent!: boolean;

  @Requires('keys.read')
  @Field(() => Int, {
    nullable: true,
    description:
      'How long answers to its requests are kept for requests alike, in seconds; null where it does not say.',
  })
  responseCacheSeconds!: number | null;

  @Requires('keys.read')
  @Field(() => Moderation, {
    nullable: true,
    description: 'What its chats are moderated by, beside what their routes say; null for nothing.',
  })
  moderation!: Moderation | null;

  @Requires('keys.read')
  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Requires('keys.read')
  @Field(() => DateTime, { nullable: true, description: 'From when on it is refused; null for never.' })
  expiresAt!: Date | null;

  @Requires('keys.read')
  @Field(() => Boolean, {
    description:
      'Whether it expires within 7 days. Webhooks are told of it, `api_key.expiring`, 7 days before and 1 day before.',
  })
  expiresSoon!: boolean;

  @Requires('keys.read')
  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when the secret before the last rotation works beside the new one; null where it does not.',
  })
  previousSecretExpiresAt!: Date | null;

  @Requires('keys.read')
  @Field(() => DateTime, { nullable: true, description: 'To within ten seconds, and a few seconds late.' })
  lastUsedAt!: Date | null;

  @Requires('keys.read')
  @Field(() => DateTime, { nullable: true, description: 'When it was revoked; null where it was not.' })
  revokedAt!: Date | null;

  /** For the field `createdBy`; not part of the schema. */
  createdById!: string | null;
}

@ObjectType({ description: 'An item of a page.' })
export class ApiKeyEdge {
  @Field(() => Cursor, { description: 'Where it stands: what `after` and `before` take.' })
  cursor!: string;

  @Field(() => ApiKey, { description: 'The item.' })
  node!: ApiKey;
}

@ObjectType({ description: 'A page of keys, newest first.' })
export class ApiKeyConnection {
  @Field(() => [ApiKeyEdge], { description: 'With their cursors.' })
  edges!: ApiKeyEdge[];

  @Field(() => [ApiKey], { description: 'The same without their cursors.' })
  nodes!: ApiKey[];

  @Field(() => PageInfo, { description: 'Where the page stands.' })
  pageInfo!: PageInfo;

  /** For the field `totalCount`; not part of the schema. */
  count!: () => Promise<number>;
}

@ObjectType({ description: 'A new key. The secret is shown here and never again.' })
export class CreatedApiKey {
  @Field(() => String, { description: 'What programs send as a bearer token. Shown this once.' })
  secret!: string;

  @Field(() => ApiKey, { description: 'The key that it belongs to.' })
  apiKey!: ApiKey;
}

@InputType({ description: 'Which keys are listed.' })
export class ApiKeyFilter {
  @Field(() => String, { nullable: true, description: 'A part of the name, in upper or lower case.' })
  nameContains?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Also those that were revoked.' })
  includeRevoked?: boolean | null;
}

@InputType({ description: 'A new key.' })
export class CreateApiKeyInput {
  @Field(() => String, { description: '1 to 100 characters.' })
  name!: string;

  @Field(() => [KeyScope], { nullable: true, description: '`INFERENCE` alone where absent.' })
  scopes?: KeyScope[] | null;

  @Field(() => Role, {
    nullable: true,
    description: 'What a key of the scope `MANAGE` acts as: at most what its maker is. `DEVELOPER` where absent.',
  })
  role?: Role | null;

  @Field(() => [String], {
    nullable: true,
    description: 'The only models that it may use, as requests name them; all where absent.',
  })
  allowedModels?: string[] | null;

  @Field(() => DateTime, { nullable: true, description: 'From when on it is refused; never where absent.' })
  expiresAt?: Date | null;

  @Field(() => KeyLimits, { nullable: true, description: 'Its own limits; the defaults where absent.' })
  limits?: KeyLimits | null;

  @Field(() => Boolean, { nullable: true, description: 'True where absent.' })
  liveContent?: boolean | null;

  @Field(() => Int, { nullable: true, description: 'Up to 30 days. Answers are not kept where absent.' })
  responseCacheSeconds?: number | null;

  @Field(() => ModerationInput, { nullable: true, description: 'What its chats are moderated by.' })
  moderation?: ModerationInput | null;

  @Field(() => Budget, { nullable: true, description: 'What it may spend; nothing bounds it by itself where absent.' })
  budget?: Budget | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether names of models are saved that no list of their provider has, as those of new and fine-tuned models. False where absent.',
  })
  saveAnyway?: boolean | null;
}

@InputType({ description: 'An absent member stays as it is; null takes it away.' })
export class UpdateApiKeyInput {
  @Field(() => ID, { description: 'Of an `ApiKey`.' })
  id!: string;

  @Field(() => String, { nullable: true, description: '1 to 100 characters.' })
  name?: string | null;

  @Field(() => [String], { nullable: true, description: 'The only models that it may use; null allows all.' })
  allowedModels?: string[] | null;

  @Field(() => DateTime, { nullable: true, description: 'From when on it is refused; null for never.' })
  expiresAt?: Date | null;

  @Field(() => KeyLimits, { nullable: true, description: 'All of its own limits: they take the place of the old.' })
  limits?: KeyLimits | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether live subscribers of the account see what its completions say.',
  })
  liveContent?: boolean | null;

  @Field(() => Int, { nullable: true, description: 'Up to 30 days; null where answers are not kept.' })
  responseCacheSeconds?: number | null;

  @Field(() => ModerationInput, { nullable: true, description: 'What its chats are moderated by.' })
  moderation?: ModerationInput | null;

  @Field(() => Budget, { nullable: true, description: 'What it may spend; null removes its budget.' })
  budget?: Budget | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether names of models are saved that no list of their provider has, as those of new and fine-tuned models. False where absent.',
  })
  saveAnyway?: boolean | null;
}
