import { JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

const actorKinds = ['user', 'api_key', 'cli', 'job', 'server', 'anonymous'] as const;
export type ActorKind = (typeof actorKinds)[number];

/** A recorded value: never a hash, a ciphertext or a token. */
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
 * One control action: who did what, and from where. Append-only: the database rejects changes, and deletions except by
 * retention and erasure. It has no foreign keys, so that an entry outlives its target.
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

  /** A UUIDv7, so that entries of the same millisecond stay in order. */
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** Null if it concerns no account, as a failed sign-in of an unknown user. */
  @Property({ type: 'uuid', nullable: true })
  accountId: string | null = null;

  /** For example `api_key.created` or `member.role_changed`. */
  @Property({ type: 'text' })
  action!: string;

  @Property({ type: 'text' })
  actorKind!: ActorKind;

  /** For an API key: the member it acts for. */
  @Property({ type: 'uuid', nullable: true })
  actorUserId: string | null = null;

  @Property({ type: 'uuid', nullable: true })
  actorApiKeyId: string | null = null;

  /** The actor's name at that time. */
  @Property({ type: 'text' })
  actorLabel!: string;

  @Property({ type: 'text' })
  targetType!: string;

  @Property({ type: 'uuid', nullable: true })
  targetId: string | null = null;

  /** The target's name at that time. */
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
