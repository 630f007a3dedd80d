import { createUnionType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { AccountMembership, Role, User } from '../accounts/account.types.ts';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';

@ObjectType({ description: 'A user who is a member of the account.', implements: Node })
export class Member implements Node {
  id!: string;

  @Field(() => User, { description: 'The user.' })
  user!: User;

  @Field(() => Role, { description: 'The member’s role.' })
  role!: Role;

  @Field(() => DateTime, { description: 'When the user joined the account.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When one of the member’s sessions was last used, accurate to five minutes. Null if the member has no session.',
  })
  lastSeenAt!: Date | null;
}

@ObjectType({ description: 'A member with its cursor.' })
export class MemberEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => Member, { description: 'The member.' })
  node!: Member;
}

@InputType({ description: 'Filters members.' })
export class MemberFilter {
  @Field(() => String, {
    nullable: true,
    description: 'Matches members whose name or e-mail address contains this text, ignoring case.',
  })
  nameContains?: string | null;

  @Field(() => [ID], { nullable: true, description: 'Matches the members with these user IDs. Maximum 100.' })
  users?: string[] | null;
}

@ObjectType({ description: 'A page of members, oldest membership first.' })
export class MemberConnection {
  @Field(() => [MemberEdge], { description: 'The members with their cursors.' })
  edges!: MemberEdge[];

  @Field(() => [Member], { description: 'The members.' })
  nodes!: Member[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Total number of items over all pages.' })
  totalCount!: number;
}

@ObjectType({ description: 'An open invitation to the account.', implements: Node })
export class Invitation implements Node {
  id!: string;

  @Field(() => String, {
    description: 'The e-mail address that the invitation was sent to. Only a user with this address can accept it.',
  })
  email!: string;

  @Field(() => Role, { description: 'The role that the user receives.' })
  role!: Role;

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When the invitation expires.' })
  expiresAt!: Date;

  @Field(() => User, {
    nullable: true,
    description: 'The user who sent the invitation. Null if the user no longer exists.',
  })
  invitedBy!: User | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The invitation link. Only set in the result of `inviteMember` and `resendInvitation`, and only if the server cannot send mail: the inviter then passes the link on.',
  })
  link!: string | null;
}

@ObjectType({ description: 'An invitation with its cursor.' })
export class InvitationEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => Invitation, { description: 'The invitation.' })
  node!: Invitation;
}

@ObjectType({ description: 'A page of open invitations, oldest first.' })
export class InvitationConnection {
  @Field(() => [InvitationEdge], { description: 'The invitations with their cursors.' })
  edges!: InvitationEdge[];

  @Field(() => [Invitation], { description: 'The invitations.' })
  nodes!: Invitation[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Total number of items over all pages.' })
  totalCount!: number;
}

@ObjectType({ description: 'An invitation as shown to anyone who has its link.' })
export class InvitationOffer {
  @Field(() => String, { description: 'Name of the account.' })
  accountName!: string;

  @Field(() => Role, { description: 'The role that the user receives.' })
  role!: Role;

  @Field(() => String, {
    description: 'The e-mail address that the invitation was sent to. The user who accepts it must have this address.',
  })
  email!: string;

  @Field(() => Boolean, { description: 'Whether the invitation has expired.' })
  expired!: boolean;
}

@InputType({ description: 'The recipient and the role of an invitation.' })
export class InviteMemberInput {
  @Field(() => String, { description: 'The recipient’s e-mail address.' })
  email!: string;

  @Field(() => Role, { description: 'The new member’s role. Cannot exceed the inviter’s role.' })
  role!: Role;
}

@ObjectType({ description: 'The invitation failed.' })
export class InviteMemberFailure {
  @Field(() => String, {
    description:
      '`invalid_email`, `already_member`, `already_invited`, `too_many_invitations`, `too_many_attempts`, `invitations_closed` or `email_not_verified`.',
  })
  code!: string;

  @Field(() => String, { description: 'Human-readable message.' })
  message!: string;
}

@ObjectType({ description: 'The invitation was not accepted.' })
export class AcceptInvitationFailure {
  @Field(() => String, { description: '`invitation_invalid`, `invitation_for_other` or `already_member`.' })
  code!: string;

  @Field(() => String, { description: 'Human-readable message.' })
  message!: string;
}

export const InviteMemberResult = createUnionType({
  name: 'InviteMemberResult',
  description: 'The invitation, or the reason for the failure.',
  types: () => [Invitation, InviteMemberFailure] as const,
});

export const AcceptInvitationResult = createUnionType({
  name: 'AcceptInvitationResult',
  description: 'The membership, or the reason for the failure.',
  types: () => [AccountMembership, AcceptInvitationFailure] as const,
});

@InputType({ description: 'A member and their new role.' })
export class ChangeRoleInput {
  @Field(() => ID, { description: 'The member.' })
  memberId!: string;

  @Field(() => Role, { description: 'The new role. Cannot exceed the caller’s role.' })
  role!: Role;
}

@InputType({ description: 'The new owner.' })
export class TransferOwnershipInput {
  @Field(() => ID, { description: 'A member of the account.' })
  memberId!: string;
}

@InputType({ description: 'A new account.' })
export class CreateAccountInput {
  @Field(() => String, { description: '1 to 100 characters.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'IANA time zone name, such as `Europe/Berlin`. Default: `UTC`.' })
  timeZone?: string | null;
}

@InputType({ description: 'The account to delete.' })
export class DeleteAccountInput {
  @Field(() => String, { description: 'The account’s name, as confirmation.' })
  confirmName!: string;
}
