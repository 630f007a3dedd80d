import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import type { User as UserEntity } from '../../database/entities/index.ts';
import { User } from '../accounts/account.types.ts';
import { ApiKey } from '../keys/api-key.types.ts';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { JsonValue } from '../scalars/json.ts';

export enum AuditActorKind {
  USER = 'user',
  API_KEY = 'api_key',
  CLI = 'cli',
  JOB = 'job',
  SERVER = 'server',
  ANONYMOUS = 'anonymous',
}
registerEnumType(AuditActorKind, {
  name: 'AuditActorKind',
  description: 'The type of an actor.',
  valuesConfig: {
    USER: { description: 'A signed-in user.' },
    API_KEY: { description: 'An API key.' },
    CLI: { description: 'The operator, through the command line.' },
    JOB: { description: 'A background job of the server.' },
    SERVER: { description: 'The server itself.' },
    ANONYMOUS: { description: 'An unauthenticated client.' },
  },
});

@ObjectType({ description: 'The actor of an action.' })
export class AuditActor {
  @Field(() => AuditActorKind, { description: 'Type of the actor.' })
  kind!: AuditActorKind;

  @Field(() => String, {
    description: 'Name of the actor at the time of the action: an e-mail address, or the name of a key or job.',
  })
  label!: string;

  @Field(() => User, {
    nullable: true,
    description: 'The user. For an API key, the user who owns it. Null if there is none, or the user no longer exists.',
  })
  user!: User | null;

  @Field(() => ApiKey, { nullable: true, description: 'The API key. Null if the actor is not an API key.' })
  apiKey!: ApiKey | null;
}

@ObjectType({ description: 'The target of an action.' })
export class AuditTarget {
  @Field(() => String, { description: '`account`, `api_key`, `member` …' })
  type!: string;

  @Field(() => ID, { nullable: true, description: 'Global ID of the target. Null if it has none.' })
  id!: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the target at the time of the action.' })
  label!: string | null;
}

@ObjectType({ description: 'A changed field.' })
export class AuditChange {
  @Field(() => String, { description: 'Field name. For a secret, only its name is recorded.' })
  field!: string;

  @Field(() => JsonValue, {
    nullable: true,
    description: 'The old value. Null if there was none or the value is a secret.',
  })
  before!: unknown;

  @Field(() => JsonValue, {
    nullable: true,
    description: 'The new value. Null if there is none or the value is a secret.',
  })
  after!: unknown;
}

@ObjectType({
  description: 'An audit log entry: one administrative action, its actor and its origin.',
  implements: Node,
})
export class AuditEntry implements Node {
  id!: string;

  @Field(() => DateTime, { description: 'When the action was performed.' })
  createdAt!: Date;

  @Field(() => String, { description: 'The action: `api_key.created`, `member.role_changed`, `user.signed_in` …' })
  action!: string;

  /** For the field `actor`; not part of the schema. */
  actorKind!: AuditActorKind;
  actorLabel!: string;
  actorUser!: UserEntity | null;
  actorApiKeyId!: string | null;

  @Field(() => AuditTarget, { description: 'The target of the action.' })
  target!: AuditTarget;

  @Field(() => [AuditChange], { description: 'Changed fields. Never contains a secret.' })
  changes!: AuditChange[];

  @Field(() => String, { nullable: true, description: 'Source IP address.' })
  address!: string | null;

  @Field(() => String, { nullable: true, description: 'The client’s `User-Agent`.' })
  userAgent!: string | null;

  @Field(() => String, { nullable: true, description: 'The `x-request-id` of the response.' })
  requestId!: string | null;
}

@ObjectType({ description: 'An audit log entry with its cursor.' })
export class AuditEntryEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => AuditEntry, { description: 'The entry.' })
  node!: AuditEntry;
}

@ObjectType({ description: 'A page of the audit log, newest first.' })
export class AuditEntryConnection {
  @Field(() => [AuditEntryEdge], { description: 'The entries with their cursors.' })
  edges!: AuditEntryEdge[];

  @Field(() => [AuditEntry], { description: 'The entries.' })
  nodes!: AuditEntry[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}

@InputType({ description: 'Filters audit log entries. All conditions must match.' })
export class AuditFilter {
  @Field(() => ID, {
    nullable: true,
    description: 'ID of a user or an API key. For a user, includes actions of their API keys.',
  })
  actor?: string | null;

  @Field(() => String, { nullable: true, description: '`api_key.created`, or all actions of a type: `api_key.*`.' })
  action?: string | null;

  @Field(() => ID, { nullable: true, description: 'ID of the target object.' })
  target?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Start, inclusive.' })
  since?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'End, exclusive.' })
  until?: Date | null;
}
