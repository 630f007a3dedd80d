import { JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

export const actorKinds = ['user', 'api_key', 'cli', 'job', 'server', 'anonymous'] as const;
export type ActorKind = (typeof actorKinds)[number];

/** What may be shown of a value: never a hash, a ciphertext or a token. */
export type AuditValue =
  | string
  | number
  | boolean
  | null
  | readonly AuditValue[]
  | { readonly [name: string]: AuditValue };

export interface AuditChange {
  readonly field: string;
  readonly before: AuditValue;
  readonly after: AuditValue;
}

/**
 * One control action: who did what, and from where. Append-only: the database refuses to change one, and to remove one but for
 * retention and erasure. It references nothing, so that a row outlives what it tells of.
 */
@Entity({ tableName: 'audit_entries' })
@Index({
  name: 'audit_entries_by_account',
  expression: 'create index audit_entries_by_account on audit_entries (account_id, created_at, id)',
})
@Index({
  name: 'audit_entries_by_target',
  expression: 'create index audit_entries_by_target on audit_entries (account_id, target_id, created_at, id)',
})
@Index({
  name: 'audit_entries_by_action',
  expression: 'create index audit_entries_by_action on audit_entries (account_id, action, created_at, id)',
})
@Index({
  name: 'audit_entries_by_time',
  expression: 'create index audit_entries_by_time on audit_entries (created_at)',
})
export class AuditEntry {
  [OptionalProps]?:
    | 'accountId'
    | 'actorUserId'
    | 'actorApiKeyId'
    | 'targetId'
    | 'targetLabel'
    | 'address'
    | 'userAgent'
    | 'requestId';

  /** A UUIDv7: entries of one moment keep their order. */
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** Null where it is about no account: a sign-in of someone unknown. */
  @Property({ type: 'uuid', nullable: true })
  accountId: string | null = null;

  /** `api_key.created`, `member.role_changed` ... */
  @Property({ type: 'text' })
  action!: string;

  @Property({ type: 'text' })
  actorKind!: ActorKind;

  /** Of an API key: the member whom it stands for. */
  @Property({ type: 'uuid', nullable: true })
  actorUserId: string | null = null;

  @Property({ type: 'uuid', nullable: true })
  actorApiKeyId: string | null = null;

  /** As the actor was called then. */
  @Property({ type: 'text' })
  actorLabel!: string;

  @Property({ type: 'text' })
  targetType!: string;

  @Property({ type: 'uuid', nullable: true })
  targetId: string | null = null;

  /** As the target was called then. */
  @Property({ type: 'text', nullable: true })
  targetLabel: string | null = null;

  @Property({ type: JsonType })
  changes!: readonly AuditChange[];

  @Property({ type: 'text', nullable: true })
  address: string | null = null;

  @Property({ type: 'text', nullable: true })
  userAgent: string | null = null;

  @Property({ type: 'text', nullable: true })
  requestId: string | null = null;
}
