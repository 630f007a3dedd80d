import { createUnionType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { AccountMembership, Role, User } from '../accounts/account.types.ts';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';

@ObjectType({ description: 'A user who belongs to the account.', implements: Node })
export class Member implements Node {
  id!: string;

  @Field(() => User, { description: 'Who it is.' })
  user!: User;

  @Field(() => Role, { description: 'What they may do.' })
  role!: Role;

  @Field(() => DateTime, { description: 'Since when they belong to it.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When one of their sessions was last used, five minutes late at most; null where they have none.',
  })
  lastSeenAt!: Date | null;
}

@ObjectType({ description: 'A member, and their place among the others.' })
export class MemberEdge {
  @Field(() => Cursor, { description: 'Where a page can begin or end.' })
  cursor!: string;

  @Field(() => Member, { description: 'The member.' })
  node!: Member;
}

@InputType({ description: 'Which members are listed.' })
export class MemberFilter {
  @Field(() => String, { nullable: true, description: 'A part of the name or e-mail address, in upper or lower case.' })
  nameContains?: string | null;

  @Field(() => [ID], { nullable: true, description: 'Those of these users: up to 100 ids of `User`.' })
  users?: string[] | null;
}

@ObjectType({ description: 'A page of members, in the order in which they came.' })
export class MemberConnection {
  @Field(() => [MemberEdge], { description: 'The members, with their places.' })
  edges!: MemberEdge[];

  @Field(() => [Member], { description: 'The members.' })
  nodes!: Member[];

  @Field(() => PageInfo, { description: 'Whether there are more.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Over all pages.' })
  totalCount!: number;
}

@ObjectType({ description: 'That somebody is asked into the account, and has not come yet.', implements: Node })
export class Invitation implements Node {
  id!: string;

  @Field(() => String, { description: 'Who alone can accept it.' })
  email!: string;

  @Field(() => Role, { description: 'What they will be.' })
  role!: Role;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'Until when its link works.' })
  expiresAt!: Date;

  @Field(() => User, { nullable: true, description: 'Who invited them; null where they are known no more.' })
  invitedBy!: User | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Where the server can send no mail, in the answer to `inviteMember` and `resendInvitation` alone: the link, for the inviter to hand over. Null otherwise.',
  })
  link!: string | null;
}

@ObjectType({ description: 'An invitation, and its place among the others.' })
export class InvitationEdge {
  @Field(() => Cursor, { description: 'Where a page can begin or end.' })
  cursor!: string;

  @Field(() => Invitation, { description: 'The invitation.' })
  node!: Invitation;
}

@ObjectType({ description: 'A page of open invitations, in the order in which they were made.' })
export class InvitationConnection {
  @Field(() => [InvitationEdge], { description: 'The invitations, with their places.' })
  edges!: InvitationEdge[];

  @Field(() => [Invitation], { description: 'The invitations.' })
  nodes!: Invitation[];

  @Field(() => PageInfo, { description: 'Whether there are more.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Over all pages.' })
  totalCount!: number;
}

@ObjectType({ description: 'What whoever holds an invitation’s link may know of it.' })
export class InvitationOffer {
  @Field(() => String, { description: 'The account that it is for.' })
  accountName!: string;

  @Field(() => Role, { description: 'What they would be.' })
  role!: Role;

  @Field(() => String, { description: 'The address that it was sent to: who accepts it must have this one.' })
  email!: string;

  @Field(() => Boolean, { description: 'Whether its time is over.' })
  expired!: boolean;
}

@InputType({ description: 'Who is asked into the account, and as what.' })
export class InviteMemberInput {
  @Field(() => String, { description: 'Where the invitation is sent.' })
  email!: string;

  @Field(() => Role, { description: 'At most what the inviter is.' })
  role!: Role;
}

@ObjectType({ description: 'Why nobody was invited.' })
export class InviteMemberFailure {
  @Field(() => String, {
    description:
      '`invalid_email`, `already_member`, `already_invited`, `too_many_invitations`, `too_many_attempts`, `invitations_closed` or `email_not_verified`.',
  })
  code!: string;

  @Field(() => String, { description: 'For people.' })
  message!: string;
}

@ObjectType({ description: 'Why an invitation was not accepted.' })
export class AcceptInvitationFailure {
  @Field(() => String, { description: '`invitation_invalid`, `invitation_for_other` or `already_member`.' })
  code!: string;

  @Field(() => String, { description: 'For people.' })
  message!: string;
}

export const InviteMemberResult = createUnionType({
  name: 'InviteMemberResult',
  description: 'The new invitation, or why there is none.',
  types: () => [Invitation, InviteMemberFailure] as const,
});

export const AcceptInvitationResult = createUnionType({
  name: 'AcceptInvitationResult',
  description: 'The account that the user belongs to now, or why they do not.',
  types: () => [AccountMembership, AcceptInvitationFailure] as const,
});

@InputType({ description: 'What a member shall be.' })
export class ChangeRoleInput {
  @Field(() => ID, { description: 'The member.' })
  memberId!: string;

  @Field(() => Role, { description: 'At most what the caller is.' })
  role!: Role;
}

@InputType({ description: 'Who the account is handed to.' })
export class TransferOwnershipInput {
  @Field(() => ID, { description: 'A member of the account.' })
  memberId!: string;
}

@InputType({ description: 'A new account.' })
export class CreateAccountInput {
  @Field(() => String, { description: '1 to 100 characters.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'IANA name, such as `Europe/Berlin`; `UTC` where absent.' })
  timeZone?: string | null;
}

@InputType({ description: 'Which account is deleted.' })
export class DeleteAccountInput {
  @Field(() => String, { description: 'Its name, typed by who means it.' })
  confirmName!: string;
}
