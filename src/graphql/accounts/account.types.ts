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
  description: 'What a user, or a key of the scope `MANAGE`, may do in an account: the table is in the documentation.',
  valuesConfig: {
    OWNER: { description: 'Everything: the account itself, its plan, its deletion.' },
    ADMIN: { description: 'Members, keys, provider connections, routes, webhooks, budgets, the audit log.' },
    DEVELOPER: { description: 'Keys and completions.' },
    BILLING: { description: 'Budgets and what is spent.' },
    VIEWER: { description: 'Reads.' },
  },
});

export enum SpendingRestriction {
  VERIFICATION = 'verification',
  APPROVAL = 'approval',
}
registerEnumType(SpendingRestriction, {
  name: 'SpendingRestriction',
  description:
    'What an account needs before its requests reach providers on the operator’s credentials. Its own provider connections and sandbox models work without.',
  valuesConfig: {
    VERIFICATION: { description: 'An owner verifies their e-mail address.' },
    APPROVAL: { description: 'The operator of this server approves it.' },
  },
});

@ObjectType({ implements: Node, description: 'A person who signs in.' })
export class User implements Node {
  @Field(() => ID, { description: 'Global.' })
  id!: string;

  @Field(() => String, { description: 'What they sign in with.' })
  email!: string;

  @Field(() => String, { description: 'For people.' })
  name!: string;
}

@ObjectType({ implements: Node, description: 'The tenant: keys, usage and money belong to an account.' })
export class Account implements Node {
  @Field(() => ID, { description: 'Global. `x-sluice-account` takes it too.' })
  id!: string;

  @Field(() => String, { description: 'For people.' })
  name!: string;

  @Field(() => String, { description: 'IANA name; the account’s days and months begin by it.' })
  timeZone!: string;

  @Field(() => Boolean, {
    description:
      'Nothing of what its requests say is kept once they are answered: no response, comparison, video, file or cached answer. What would keep some is refused with `zero_retention`.',
  })
  zeroRetention!: boolean;

  @Field(() => Boolean, {
    description: 'Whether it is the account of who runs this server: its owners approve new accounts.',
  })
  isOperator!: boolean;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'It was deleted, and is erased after this moment; null while it lives.',
  })
  erasedAfter!: Date | null;

  /** For the fields that hang on its plan; not part of the schema. */
  row!: AccountEntity;
}

@ObjectType({ description: 'An account that the viewer belongs to.' })
export class AccountMembership {
  @Field(() => ID, { description: 'What the header `x-sluice-account` takes to select this account.' })
  accountId!: string;

  @Field(() => String, { description: 'For people.' })
  accountName!: string;

  @Field(() => Role, { description: 'What the viewer may do there.' })
  role!: Role;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The account was deleted, and is erased after this moment; null while it lives.',
  })
  erasedAfter!: Date | null;
}

@ObjectType({ description: 'Who makes this request.' })
export class Viewer {
  @Field(() => User, { nullable: true, description: 'Null for an API key.' })
  user!: User | null;

  @Field(() => [AccountMembership], { description: 'Empty for an API key.' })
  accounts!: AccountMembership[];

  @Field(() => Account, { description: 'The account that this request is about.' })
  currentAccount!: Account;

  @Field(() => Role, { nullable: true, description: 'The role in the current account; null for an API key.' })
  role!: Role | null;
}
