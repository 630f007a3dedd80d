import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { ErrorCode } from '../../errors/index.ts';
import type { Callers } from '../../services/authorization/callers.ts';
import type { InvitationsService } from '../../services/members/invitations.service.ts';
import { Requires } from '../operation/access.ts';
import { toMembership, toRole } from '../accounts/account.mapping.ts';
import { Account, AccountMembership } from '../accounts/account.types.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { asFailure } from '../operation/failures.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { timeCursor, toTimedPage } from '../relay/timed-page.ts';
import { toInvitation, toSentInvitation } from './member.mapping.ts';
import {
  AcceptInvitationFailure,
  AcceptInvitationResult,
  Invitation,
  InvitationConnection,
  InvitationOffer,
  InviteMemberFailure,
  InviteMemberInput,
  InviteMemberResult,
} from './member.types.ts';

const inviteFailures: readonly ErrorCode[] = [
  'invalid_email',
  'already_member',
  'already_invited',
  'too_many_invitations',
  'too_many_attempts',
  'invitations_closed',
  'email_not_verified',
];
const acceptFailures: readonly ErrorCode[] = ['invitation_invalid', 'invitation_for_other', 'already_member'];

@Resolver(() => Account)
export class InvitationsResolver {
  readonly #invitations: InvitationsService;
  readonly #callers: Callers;

  constructor(invitations: InvitationsService, callers: Callers) {
    this.#invitations = invitations;
    this.#callers = callers;
  }

  @Requires('members.read')
  @FieldResolver(() => InvitationConnection, { description: 'Invitations that are not accepted yet.' })
  async invitations(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<InvitationConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(page);
    const found = await this.#invitations.list(accountId, toTimedPage(request));
    const totalCount = await this.#invitations.count(accountId);
    const connection = toConnection(found, request, (row) => ({ cursor: timeCursor(row), node: toInvitation(row) }));
    return { ...connection, totalCount };
  }

  @Query(() => InvitationOffer, {
    nullable: true,
    description:
      'The invitation with this token, for anyone who has its link. Null if it was used, replaced or revoked.',
  })
  async invitation(
    @Arg('token', () => String, { description: 'The token in the link.' }) token: string,
  ): Promise<InvitationOffer | null> {
    const offer = await this.#invitations.offer(token);
    return offer && { ...offer, role: toRole(offer.role) };
  }

  @Requires('members.write')
  @Mutation(() => InviteMemberResult, {
    description: 'Sends an invitation to the account. Its link is valid for one week and can be used once.',
  })
  async inviteMember(
    @Arg('input', () => InviteMemberInput, { description: 'The e-mail address and the role.' })
    { email, role }: InviteMemberInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof InviteMemberResult> {
    const caller = await context.caller();
    const own = await this.#callers.rolesOf(caller);
    return this.#invitations
      .invite(caller.accountId, { userId: this.#callers.creatorFor(caller), own }, { email, role })
      .then(toSentInvitation, (error: unknown) => asFailure(new InviteMemberFailure(), error, inviteFailures));
  }

  @Requires('members.write')
  @Mutation(() => Invitation, {
    description: 'Sends an invitation again, valid for another week. The previous link becomes invalid.',
  })
  async resendInvitation(
    @Arg('id', () => ID, { description: 'ID of an `Invitation`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Invitation> {
    const caller = await context.caller();
    const own = await this.#callers.rolesOf(caller);
    return toSentInvitation(await this.#invitations.resend(caller.accountId, own, fromGlobalId('Invitation', id)));
  }

  @Requires('members.write')
  @Mutation(() => Boolean, { description: 'Revokes an invitation. Its link becomes invalid.' })
  async revokeInvitation(
    @Arg('id', () => ID, { description: 'ID of an `Invitation`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const caller = await context.caller();
    await this.#invitations.revoke(
      caller.accountId,
      await this.#callers.rolesOf(caller),
      fromGlobalId('Invitation', id),
    );
    return true;
  }

  @Mutation(() => AcceptInvitationResult, {
    description: 'Adds the signed-in user to the account that invited their e-mail address.',
  })
  async acceptInvitation(
    @Arg('token', () => String, { description: 'The token in the link.' }) token: string,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof AcceptInvitationResult> {
    const { userId } = await context.requireSession();
    try {
      const { account, role } = await this.#invitations.accept(token, userId);
      const { id: accountId, name: accountName, erasedAfter } = account;
      return Object.assign(new AccountMembership(), toMembership({ accountId, accountName, role, erasedAfter }));
    } catch (error) {
      return asFailure(new AcceptInvitationFailure(), error, acceptFailures);
    }
  }
}
