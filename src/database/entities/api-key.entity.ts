import { randomUUID } from 'node:crypto';
import { ArrayType, BlobType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Check, Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { GuardRules } from '../../gateway/moderation-guard/guard-settings.ts';
import { Account } from './account.entity.ts';
import { membershipRoles, type MembershipRole } from './membership.entity.ts';
import { User } from './user.entity.ts';

export const apiKeyKinds = ['user', 'dashboard'] as const;
export type ApiKeyKind = (typeof apiKeyKinds)[number];

/** An absent one bounds nothing. */
export interface ApiKeyRates {
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  requestsPerDay?: number;
  concurrency?: number;
}

/** A key's own limits; an absent one of all its requests means the default. */
export interface ApiKeyLimits extends ApiKeyRates {
  /** For each model named: canonical, bare, or a route. */
  perModel?: readonly (ApiKeyRates & { readonly model: string })[];
  perCapability?: readonly (ApiKeyRates & { readonly capability: string })[];
}

/** What a program calls with; every request has one. Its secret is shown once and never kept. */
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
    | 'expiresAt'
    | 'limits'
    | 'liveContent'
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

  /** HMAC-SHA256 of the secret under the pepper of `pepperVersion`; null for the built-in key of a dashboard. */
  @Property({ type: BlobType, unique: true, nullable: true, hidden: true })
  secretHmac: Buffer | null = null;

  @Property({ type: 'smallint', default: 1 })
  pepperVersion: number = 1;

  /** The same of the secret before the last rotation. */
  @Property({ type: BlobType, unique: true, nullable: true, hidden: true })
  previousSecretHmac: Buffer | null = null;

  /** Until when the secret before the last rotation works too. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  previousSecretExpiresAt: Date | null = null;

  @Property({ type: ArrayType, columnType: 'text[]', defaultRaw: "'{inference}'" })
  scopes: string[] = ['inference'];

  /** What it acts as where it manages; null for a key that does not. Whoever made it bounds it, while they are a member. */
  @Enum({ items: () => [...membershipRoles], type: 'text', nullable: true })
  role: MembershipRole | null = null;

  /** Canonical or bare model names; null allows all. */
  @Property({ type: ArrayType, columnType: 'text[]', nullable: true })
  allowedModels: string[] | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  expiresAt: Date | null = null;

  /** How many days ahead it was told last that this key will expire; null before it was, and when another time is set. */
  @Property({ type: 'smallint', nullable: true })
  expiryToldDays: number | null = null;

  @Property({ type: JsonType, nullable: true })
  limits: ApiKeyLimits | null = null;

  /** Whether live subscribers of the account see what its completions say. */
  @Property({ type: 'boolean', default: true })
  liveContent: boolean = true;

  /** How long answers to its requests are kept for requests alike; null where it does not say. */
  @Property({ type: 'integer', nullable: true })
  responseCacheSeconds: number | null = null;

  /** What its chats are moderated by; null for nothing. */
  @Property({ type: JsonType, nullable: true })
  moderation: GuardRules | null = null;

  /** `dashboard`: the account's built-in key that signed-in sessions run as; it has no secret. */
  @Enum({ items: () => [...apiKeyKinds], type: 'text', default: 'user' })
  kind: ApiKeyKind = 'user';

  @ManyToOne(() => User, { nullable: true, deleteRule: 'set null' })
  createdBy: User | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  lastUsedAt: Date | null = null;

  /** By the database's clock, when something that processes keep in memory was changed; null for a key that is as it was made. */
  @Property({ type: 'datetime', length: 6, nullable: true })
  changedAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  revokedAt: Date | null = null;
}
