import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import type { Account as AccountEntity } from '../../database/entities/index.ts';
import { Node } from '../relay/node.types.ts';
import { DateTime } from '../scalars/date-time.ts';

export enum Role {
  OWNER = 'owner',
  ADMIN = 'admin',
  DEVELOPER = 'developer',
  BILLING = 'billing',
  VIEWER = 'viewer',
}
registerEnumType(Role, {
  name: 'Role',
  description:
    'What a user, or an API key with the scope `MANAGE`, can do in an account. `permissions` lists the details.',
  valuesConfig: {
    OWNER: { description: 'Full access, including the plan and the deletion of the account.' },
    ADMIN: {
      description:
        'Manages members, API keys, provider connections, routes, webhooks and budgets, and reads the audit log.',
    },
    DEVELOPER: { description: 'Manages API keys and runs completions.' },
    BILLING: { description: 'Manages budgets and reads costs.' },
    VIEWER: { description: 'Read-only access.' },
  },
});

export enum SpendingRestriction {
  VERIFICATION = 'verification',
  APPROVAL = 'approval',
}
registerEnumType(SpendingRestriction, {
  name: 'SpendingRestriction',
  description:
    'What an account must do before its requests can use the operator’s provider credentials. Its own provider connections and the sandbox models are not restricted.',
  valuesConfig: {
    VERIFICATION: { description: 'An owner must verify their e-mail address.' },
    APPROVAL: { description: 'The operator of this server must approve the account.' },
  },
});

@ObjectType({ implements: Node, description: 'A user who can sign in.' })
export class User implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'The e-mail address that the user signs in with.' })
  email!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;
}

@ObjectType({ implements: Node, description: 'A tenant. API keys, usage and money belong to an account.' })
export class Account implements Node {
  @Field(() => ID, { description: 'Global ID. The header `x-sluice-account` also accepts it.' })
  id!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => String, {
    description: 'IANA time zone name. Days and months of the account start at midnight in this time zone.',
  })
  timeZone!: string;

  @Field(() => Boolean, {
    description:
      'Whether zero data retention is on: no response, comparison, video, file or cached response is stored after the request completes. A request that requires storage is rejected with `zero_retention`.',
  })
  zeroRetention!: boolean;

  @Field(() => Boolean, {
    description: 'Whether this is the account of the server’s operator. Its owners approve new accounts.',
  })
  isOperator!: boolean;

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The time after which a deleted account is erased. Null if the account is not deleted.',
  })
  erasedAfter!: Date | null;

  /** For fields that depend on the plan; not part of the schema. */
  row!: AccountEntity;
}

@ObjectType({ description: 'The membership of the viewer in an account.' })
export class AccountMembership {
  @Field(() => ID, { description: 'The account’s ID, for the header `x-sluice-account`.' })
  accountId!: string;

  @Field(() => String, { description: 'Display name of the account.' })
  accountName!: string;

  @Field(() => Role, { description: 'The viewer’s role in the account.' })
  role!: Role;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The time after which a deleted account is erased. Null if the account is not deleted.',
  })
  erasedAfter!: Date | null;
}

@ObjectType({ description: 'The authenticated caller.' })
export class Viewer {
  @Field(() => User, { nullable: true, description: 'The user. Null for an API key.' })
  user!: User | null;

  @Field(() => [AccountMembership], { description: 'The user’s accounts. Empty for an API key.' })
  accounts!: AccountMembership[];

  @Field(() => Account, { description: 'The current account.' })
  currentAccount!: Account;

  @Field(() => Role, { nullable: true, description: 'The role in the current account. Null for an API key.' })
  role!: Role | null;
}
