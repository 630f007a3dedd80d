import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { DateTime } from '../scalars/date-time.ts';

export enum Role {
  OWNER = 'owner',
  ADMIN = 'admin',
  DEVELOPER = 'developer',
  BILLING = 'billing',
  VIEWER = 'viewer',
}
registerEnumType(Role, { name: 'Role', description: 'What a user may do in an account.' });

@ObjectType({ description: 'A person who signs in.' })
export class User {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  email!: string;

  @Field(() => String)
  name!: string;
}

@ObjectType({ description: 'The tenant: keys, usage and money belong to an account.' })
export class Account {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: "The plan's id." })
  plan!: string;

  @Field(() => String, { description: 'IANA name; the account’s days and months begin by it.' })
  timeZone!: string;

  @Field(() => DateTime)
  createdAt!: Date;
}

@ObjectType({ description: 'An account that the viewer belongs to.' })
export class AccountMembership {
  @Field(() => ID, { description: 'What the header `x-sluice-account` takes to select this account.' })
  accountId!: string;

  @Field(() => String)
  accountName!: string;

  @Field(() => Role)
  role!: Role;
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
