import { randomUUID } from 'node:crypto';
import { ArrayType, BlobType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Check, Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { ContentLevel } from '../../gateway/content/content-level.ts';
import type { ModerationRules } from '../../gateway/keys/moderation-settings.ts';
import { Account } from './account.entity.ts';
import { membershipRoles, type MembershipRole } from './membership.entity.ts';
import { User } from './user.entity.ts';

const contentLevels = ['off', 'metadata', 'full'] as const satisfies readonly ContentLevel[];
const apiKeyKinds = ['user', 'dashboard'] as const;
export type ApiKeyKind = (typeof apiKeyKinds)[number];

/** An absent member means no limit. */
export interface ApiKeyRates {
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  requestsPerDay?: number;
  concurrency?: number;
}

/** A key's own limits; an absent limit for all its requests means the default. */
export interface ApiKeyLimits extends ApiKeyRates {
  /** Per model name: canonical, bare, or a route. */
  perModel?: readonly (ApiKeyRates & { readonly model: string })[];
  perCapability?: readonly (ApiKeyRates & { readonly capability: string })[];
}

/** `claude-*`, or a name; and the name of a model, route or alias that requests get for it. */
export interface ModelAlias {
  readonly name: string;
  readonly model: string;
}

/** The credential of a program; every request belongs to one. Its secret is shown once and not stored. */
@Entity({ tableName: 'api_keys' })
@Index({
  name: 'api_keys_one_dashboard_key',
  expression:
    "create unique index api_keys_one_dashboard_key on api_keys (account_id) where kind = 'dashboard' and revoked_at is null",
})
@Check({ name: 'api_keys_secret_by_kind', expression: "(kind = 'dashboard') = (secret_hmac is null)" })
@Check({
  name: 'api_keys_previous_secret_ends',
  expression: '(previous_secret_hmac is null) = (previous_secret_expires_at is null)',
})
@Index({ properties: ['account', 'createdAt', 'id'] })
@Index({
  name: 'api_keys_changed',
  expression: 'create index api_keys_changed on api_keys (changed_at) where changed_at is not null',
})
@Index({
  name: 'api_keys_expiring',
  expression:
    'create index api_keys_expiring on api_keys (expires_at) where expires_at is not null and revoked_at is null',
})
export class ApiKey {
  [OptionalProps]?:
    | 'secretHmac'
    | 'pepperVersion'
    | 'previousSecretHmac'
    | 'previousSecretExpiresAt'
    | 'expiryToldDays'
    | 'changedAt'
    | 'scopes'
    | 'role'
    | 'allowedModels'
    | 'modelAliases'
    | 'expiresAt'
    | 'limits'
    | 'liveContent'
    | 'contentLevel'
    | 'contentMayRaise'
    | 'responseCacheSeconds'
    | 'moderation'
    | 'kind'
    | 'createdBy'
    | 'createdAt'
    | 'lastUsedAt'
    | 'revokedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  @Property({ type: 'text' })
  name!: string;

  /** The secret's first and last characters, for lists: `sk-sluice-Ab…x9Zq`. */
  @Property({ type: 'text' })
  hint!: string;

  /** HMAC-SHA256 of the secret under the pepper of `pepperVersion`; null for the built-in dashboard key. */
  @Property({ type: BlobType, unique: true, nullable: true, hidden: true })
  secretHmac: Buffer | null = null;

  @Property({ type: 'smallint', default: 1 })
  pepperVersion: number = 1;

  /** HMAC-SHA256 of the secret before the last rotation. */
  @Property({ type: BlobType, unique: true, nullable: true, hidden: true })
  previousSecretHmac: Buffer | null = null;

  /** When the secret before the last rotation expires. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  previousSecretExpiresAt: Date | null = null;

  @Property({ type: ArrayType, columnType: 'text[]', defaultRaw: "'{inference}'" })
  scopes: string[] = ['inference'];

  /** The role of a key with the `manage` scope, else null. Its creator's role limits it while they are a member. */
  @Enum({ items: () => [...membershipRoles], type: 'text', nullable: true })
  role: MembershipRole | null = null;

  /** Canonical or bare model names; null allows all. */
  @Property({ type: ArrayType, columnType: 'text[]', nullable: true })
  allowedModels: string[] | null = null;

  /** What its requests get for a name or a pattern (`claude-*`); null for none. */
  @Property({ type: JsonType, nullable: true })
  modelAliases: ModelAlias[] | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  expiresAt: Date | null = null;

  /** The last expiry warning that was sent, in days before the expiry; null if none was, or if the expiry was changed since. */
  @Property({ type: 'smallint', nullable: true })
  expiryToldDays: number | null = null;

  @Property({ type: JsonType, nullable: true })
  limits: ApiKeyLimits | null = null;

  /** Whether live subscribers of the account see the content of its completions. */
  @Property({ type: 'boolean', default: true })
  liveContent: boolean = true;

  /** Which content of its requests is stored; null for the account's. Capped by the account's unless `contentMayRaise`. */
  @Enum({ items: () => [...contentLevels], type: 'text', nullable: true })
  contentLevel: ContentLevel | null = null;

  /** Whether an owner lets `contentLevel` exceed the account's. */
  @Property({ type: 'boolean', default: false })
  contentMayRaise: boolean = false;

  /** How long its responses are cached for identical requests, in seconds; null if not set. */
  @Property({ type: 'integer', nullable: true })
  responseCacheSeconds: number | null = null;

  /** The moderation of its chats; null for none. */
  @Property({ type: JsonType, nullable: true })
  moderation: ModerationRules | null = null;

  /** `dashboard`: the account's built-in key for signed-in sessions; it has no secret. */
  @Enum({ items: () => [...apiKeyKinds], type: 'text', default: 'user' })
  kind: ApiKeyKind = 'user';

  @ManyToOne(() => User, { nullable: true, deleteRule: 'set null' })
  createdBy: User | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  lastUsedAt: Date | null = null;

  /** By the database's clock, when a property that processes cache was changed; null if never. */
  @Property({ type: 'datetime', length: 6, nullable: true })
  changedAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  revokedAt: Date | null = null;
}
