import { randomUUID } from 'node:crypto';
import { ArrayType, BlobType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Check, Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { GuardRules } from '../../gateway/moderation-guard/guard-settings.ts';
import { Account } from './account.entity.ts';
import { User } from './user.entity.ts';

export const apiKeyKinds = ['user', 'dashboard'] as const;
export type ApiKeyKind = (typeof apiKeyKinds)[number];

/** A key's own limits; an absent one means the default. */
export interface ApiKeyLimits {
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  requestsPerDay?: number;
  concurrency?: number;
}

/** How much a key may spend in a period. */
export interface ApiKeyBudget {
  /** Integer nano-USD, as text: it may pass 2^53. */
  amountNano: string;
  period: 'DAY' | 'WEEK' | 'MONTH' | 'TOTAL';
}

/** What a program calls with; every request has one. Its secret is shown once and never kept. */
@Entity({ tableName: 'api_keys' })
@Index({
  name: 'api_keys_one_dashboard_key',
  expression:
    "create unique index api_keys_one_dashboard_key on api_keys (account_id) where kind = 'dashboard' and revoked_at is null",
})
@Check({ name: 'api_keys_secret_by_kind', expression: "(kind = 'dashboard') = (secret_hmac is null)" })
@Index({ properties: ['account', 'createdAt', 'id'] })
export class ApiKey {
  [OptionalProps]?:
    | 'secretHmac'
    | 'pepperVersion'
    | 'scopes'
    | 'allowedModels'
    | 'expiresAt'
    | 'limits'
    | 'budget'
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

  @Property({ type: ArrayType, columnType: 'text[]', defaultRaw: "'{inference}'" })
  scopes: string[] = ['inference'];

  /** Canonical or bare model names; null allows all. */
  @Property({ type: ArrayType, columnType: 'text[]', nullable: true })
  allowedModels: string[] | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  expiresAt: Date | null = null;

  @Property({ type: JsonType, nullable: true })
  limits: ApiKeyLimits | null = null;

  @Property({ type: JsonType, nullable: true })
  budget: ApiKeyBudget | null = null;

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

  @Property({ type: 'datetime', length: 3, nullable: true })
  revokedAt: Date | null = null;
}
