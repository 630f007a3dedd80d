import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Requires } from '../operation/access.ts';
import { Role } from '../accounts/account.types.ts';
import { Budget } from '../budgets/budget.input.ts';
import { ContentLevel } from '../content-logging/content-level.type.ts';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Moderation, ModerationInput } from '../routing/moderation.types.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { ModelAlias, ModelAliasInput } from './model-alias.types.ts';
import { KeyLimits, KeyLimitSettings } from './key-limits.types.ts';

export enum KeyScope {
  INFERENCE = 'inference',
  READ = 'read',
  MANAGE = 'manage',
}
registerEnumType(KeyScope, {
  name: 'KeyScope',
  description: 'What an API key grants access to.',
  valuesConfig: {
    INFERENCE: { description: 'Inference through REST and GraphQL.' },
    READ: { description: 'Reads usage, models and the account through GraphQL.' },
    MANAGE: { description: 'Changes what the key’s role permits, through GraphQL.' },
  },
});

@ObjectType({
  implements: Node,
  description:
    'An API key. Its secret is shown once, when the key is created. Outside `apiKeys`, for example in usage, every caller can read `id` and `name`; the other fields require the same permission as `apiKeys`.',
})
export class ApiKey implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Requires('keys.read')
  @Field(() => String, { description: 'The first and last characters of the secret.' })
  hint!: string;

  @Requires('keys.read')
  @Field(() => [KeyScope], { description: 'Granted scopes.' })
  scopes!: KeyScope[];

  @Requires('keys.read')
  @Field(() => Role, {
    nullable: true,
    description:
      'The role that a key with the scope `MANAGE` acts as, limited to the current role of its creator. Null for a key without that scope.',
  })
  role!: Role | null;

  @Requires('keys.read')
  @Field(() => [String], { nullable: true, description: 'The models that the key can use. Null allows all.' })
  allowedModels!: string[] | null;

  @Requires('keys.read')
  @Field(() => [ModelAlias], {
    description:
      'What the key’s requests get for names that they ask for. They have precedence over the routes and aliases of the account and the server; a pattern only over other patterns and models.',
  })
  modelAliases!: ModelAlias[];

  @Requires('keys.read')
  @Field(() => Int, { description: 'Number of `modelAliases`: for lists of keys, at no cost.' })
  modelAliasCount!: number;

  @Requires('keys.read')
  @Field(() => KeyLimitSettings, { description: 'The key’s own limits.' })
  limits!: KeyLimitSettings;

  @Requires('keys.read')
  @Field(() => Boolean, { description: 'Whether `liveCompletions` includes the content of the key’s completions.' })
  liveContent!: boolean;

  @Requires('keys.read')
  @Field(() => ContentLevel, {
    nullable: true,
    description:
      'Which content of the key’s requests is stored. The account’s level caps it unless `contentMayRaise`. Null for the account’s level.',
  })
  contentLevel!: ContentLevel | null;

  @Requires('keys.read')
  @Field(() => Boolean, { description: 'Whether `contentLevel` may exceed the account’s level.' })
  contentMayRaise!: boolean;

  @Requires('keys.read')
  @Field(() => Int, {
    nullable: true,
    description:
      'How long responses are cached for identical requests, in seconds. Null means that the key has no setting.',
  })
  responseCacheSeconds!: number | null;

  @Requires('keys.read')
  @Field(() => Moderation, {
    nullable: true,
    description: 'Moderation of chats with this key, in addition to the moderation of routes. Null for none.',
  })
  moderation!: Moderation | null;

  @Requires('keys.read')
  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Requires('keys.read')
  @Field(() => DateTime, { nullable: true, description: 'When the key expires. Null for never.' })
  expiresAt!: Date | null;

  @Requires('keys.read')
  @Field(() => Boolean, {
    description: 'Whether the key expires within 7 days. Webhooks receive `api_key.expiring` 7 days and 1 day before.',
  })
  expiresSoon!: boolean;

  @Requires('keys.read')
  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when the previous secret is still valid after a rotation. Null if no previous secret is valid.',
  })
  previousSecretExpiresAt!: Date | null;

  @Requires('keys.read')
  @Field(() => DateTime, {
    nullable: true,
    description: 'When the key was last used, accurate to ten seconds and delayed by a few seconds.',
  })
  lastUsedAt!: Date | null;

  @Requires('keys.read')
  @Field(() => DateTime, { nullable: true, description: 'When the key was revoked. Null if it is not revoked.' })
  revokedAt!: Date | null;

  /** For the field `createdBy`; not part of the schema. */
  createdById!: string | null;
}

@ObjectType({ description: 'An item with its cursor.' })
export class ApiKeyEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => ApiKey, { description: 'The item.' })
  node!: ApiKey;
}

@ObjectType({ description: 'A page of API keys, newest first.' })
export class ApiKeyConnection {
  @Field(() => [ApiKeyEdge], { description: 'The items with their cursors.' })
  edges!: ApiKeyEdge[];

  @Field(() => [ApiKey], { description: 'The items without their cursors.' })
  nodes!: ApiKey[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;

  /** For the field `totalCount`; not part of the schema. */
  count!: () => Promise<number>;
}

@ObjectType({ description: 'A new API key with its secret. The secret is shown once.' })
export class CreatedApiKey {
  @Field(() => String, { description: 'The secret, sent as a bearer token. Shown once.' })
  secret!: string;

  @Field(() => ApiKey, { description: 'The API key.' })
  apiKey!: ApiKey;
}

@InputType({ description: 'Filters API keys.' })
export class ApiKeyFilter {
  @Field(() => String, { nullable: true, description: 'Matches keys whose name contains this text, ignoring case.' })
  nameContains?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Includes revoked keys.' })
  includeRevoked?: boolean | null;
}

@InputType({ description: 'A new API key.' })
export class CreateApiKeyInput {
  @Field(() => String, { description: '1 to 100 characters.' })
  name!: string;

  @Field(() => [KeyScope], { nullable: true, description: 'Default: `INFERENCE`.' })
  scopes?: KeyScope[] | null;

  @Field(() => Role, {
    nullable: true,
    description: 'The role of a key with the scope `MANAGE`. Cannot exceed the creator’s role. Default: `DEVELOPER`.',
  })
  role?: Role | null;

  @Field(() => [String], {
    nullable: true,
    description: 'The models that the key can use, by the names used in requests. Default: all models.',
  })
  allowedModels?: string[] | null;

  @Field(() => [ModelAliasInput], {
    nullable: true,
    description: 'What the key’s requests get for names that they ask for. Maximum 50. Default: none.',
  })
  modelAliases?: ModelAliasInput[] | null;

  @Field(() => DateTime, { nullable: true, description: 'When the key expires. Default: never.' })
  expiresAt?: Date | null;

  @Field(() => KeyLimits, { nullable: true, description: 'The key’s own limits. Default: the plan’s limits.' })
  limits?: KeyLimits | null;

  @Field(() => Boolean, { nullable: true, description: 'Default: true.' })
  liveContent?: boolean | null;

  @Field(() => ContentLevel, { nullable: true, description: 'Default: the account’s level.' })
  contentLevel?: ContentLevel | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether `contentLevel` may exceed the account’s level. Only an owner can turn it on. Default: false.',
  })
  contentMayRaise?: boolean | null;

  @Field(() => Int, { nullable: true, description: 'Maximum 30 days. Default: responses are not cached.' })
  responseCacheSeconds?: number | null;

  @Field(() => ModerationInput, { nullable: true, description: 'Moderation of chats with this key.' })
  moderation?: ModerationInput | null;

  @Field(() => Budget, { nullable: true, description: 'Budget of the key. Default: none.' })
  budget?: Budget | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to save model names that the provider does not list, such as new and fine-tuned models. Default: false.',
  })
  saveAnyway?: boolean | null;
}

@InputType({ description: 'Changes to an API key. An absent field does not change; null clears it.' })
export class UpdateApiKeyInput {
  @Field(() => ID, { description: 'ID of an `ApiKey`.' })
  id!: string;

  @Field(() => String, { nullable: true, description: '1 to 100 characters.' })
  name?: string | null;

  @Field(() => [String], { nullable: true, description: 'The models that the key can use. Null allows all.' })
  allowedModels?: string[] | null;

  @Field(() => [ModelAliasInput], { nullable: true, description: 'Replaces all aliases of the key. Maximum 50.' })
  modelAliases?: ModelAliasInput[] | null;

  @Field(() => DateTime, { nullable: true, description: 'When the key expires. Null for never.' })
  expiresAt?: Date | null;

  @Field(() => KeyLimits, { nullable: true, description: 'Replaces all limits of the key.' })
  limits?: KeyLimits | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether `liveCompletions` includes the content of the key’s completions.',
  })
  liveContent?: boolean | null;

  @Field(() => ContentLevel, {
    nullable: true,
    description: 'Which content of the key’s requests is stored. Null for the account’s level.',
  })
  contentLevel?: ContentLevel | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether `contentLevel` may exceed the account’s level. Only an owner can turn it on.',
  })
  contentMayRaise?: boolean | null;

  @Field(() => Int, { nullable: true, description: 'Maximum 30 days. Null disables caching.' })
  responseCacheSeconds?: number | null;

  @Field(() => ModerationInput, { nullable: true, description: 'Moderation of chats with this key.' })
  moderation?: ModerationInput | null;

  @Field(() => Budget, { nullable: true, description: 'Budget of the key. Null removes it.' })
  budget?: Budget | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to save model names that the provider does not list, such as new and fine-tuned models. Default: false.',
  })
  saveAnyway?: boolean | null;
}
