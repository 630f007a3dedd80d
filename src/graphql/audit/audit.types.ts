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
  description: 'What kind of actor did something.',
  valuesConfig: {
    USER: { description: 'A signed-in user.' },
    API_KEY: { description: 'A program, by an API key.' },
    CLI: { description: 'The operator, by the command line.' },
    JOB: { description: 'A job of the server’s.' },
    SERVER: { description: 'The server itself.' },
    ANONYMOUS: { description: 'Somebody who was not signed in.' },
  },
});

@ObjectType({ description: 'Who did something.' })
export class AuditActor {
  @Field(() => AuditActorKind, { description: 'What kind of actor it was.' })
  kind!: AuditActorKind;

  @Field(() => String, { description: 'As they were called then: an e-mail address, the name of a key or a job.' })
  label!: string;

  @Field(() => User, {
    nullable: true,
    description: 'The user; of a key, whom it stands for. Null where there is none, or they are known no more.',
  })
  user!: User | null;

  @Field(() => ApiKey, { nullable: true, description: 'The key; null where it was none.' })
  apiKey!: ApiKey | null;
}

@ObjectType({ description: 'What something was done to.' })
export class AuditTarget {
  @Field(() => String, { description: '`account`, `api_key`, `member` ...' })
  type!: string;

  @Field(() => ID, { nullable: true, description: 'Its global id; null where it has none.' })
  id!: string | null;

  @Field(() => String, { nullable: true, description: 'As it was called then.' })
  label!: string | null;
}

@ObjectType({ description: 'One thing that was changed.' })
export class AuditChange {
  @Field(() => String, { description: 'Its name. Of a secret nothing but the name is told.' })
  field!: string;

  @Field(() => JsonValue, { nullable: true, description: 'What it was; null where it was nothing, or is a secret.' })
  before!: unknown;

  @Field(() => JsonValue, {
    nullable: true,
    description: 'What it became; null where that is nothing, or is a secret.',
  })
  after!: unknown;
}

@ObjectType({ description: 'One control action: who did what, from where.', implements: Node })
export class AuditEntry implements Node {
  id!: string;

  @Field(() => DateTime, { description: 'When it was done.' })
  createdAt!: Date;

  @Field(() => String, { description: 'What was done: `api_key.created`, `member.role_changed`, `user.signed_in` ...' })
  action!: string;

  /** Of which `actor` is made. */
  actorKind!: AuditActorKind;
  actorLabel!: string;
  actorUser!: UserEntity | null;
  actorApiKeyId!: string | null;

  @Field(() => AuditTarget, { description: 'What it was done to.' })
  target!: AuditTarget;

  @Field(() => [AuditChange], { description: 'What was changed by it. Never a secret.' })
  changes!: AuditChange[];

  @Field(() => String, { nullable: true, description: 'The IP address that it came from.' })
  address!: string | null;

  @Field(() => String, { nullable: true, description: 'What the client called itself.' })
  userAgent!: string | null;

  @Field(() => String, { nullable: true, description: 'The `x-request-id` of the answer.' })
  requestId!: string | null;
}

@ObjectType({ description: 'An entry, and its place among the others.' })
export class AuditEntryEdge {
  @Field(() => Cursor, { description: 'Where a page can begin or end.' })
  cursor!: string;

  @Field(() => AuditEntry, { description: 'The entry.' })
  node!: AuditEntry;
}

@ObjectType({ description: 'A page of the audit log, newest first.' })
export class AuditEntryConnection {
  @Field(() => [AuditEntryEdge], { description: 'The entries, with their places.' })
  edges!: AuditEntryEdge[];

  @Field(() => [AuditEntry], { description: 'The entries.' })
  nodes!: AuditEntry[];

  @Field(() => PageInfo, { description: 'Whether there are more.' })
  pageInfo!: PageInfo;
}

@InputType({ description: 'Which entries; all conditions hold.' })
export class AuditFilter {
  @Field(() => ID, {
    nullable: true,
    description: 'What a user or an API key did; of a user also what their keys did.',
  })
  actor?: string | null;

  @Field(() => String, { nullable: true, description: '`api_key.created`, or all of a kind: `api_key.*`.' })
  action?: string | null;

  @Field(() => ID, { nullable: true, description: 'What was done to this: any object’s id.' })
  target?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'From this moment on.' })
  since?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Before this moment.' })
  until?: Date | null;
}
