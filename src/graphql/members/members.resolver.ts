import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Resolver } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { Callers } from '../../services/authorization/callers.ts';
import type { MembersService } from '../../services/members/members.service.ts';
import { Requires } from '../operation/access.ts';
import { Account } from '../accounts/account.types.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId, uuidOfAny } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { timeCursor, toTimedPage } from '../relay/timed-page.ts';
import { toMember } from './member.mapping.ts';
import { ChangeRoleInput, Member, MemberConnection, MemberFilter, TransferOwnershipInput } from './member.types.ts';

const MAX_USERS = 100;

@Resolver(() => Account)
export class MembersResolver {
  readonly #members: MembersService;
  readonly #callers: Callers;

  constructor(members: MembersService, callers: Callers) {
    this.#members = members;
    this.#callers = callers;
  }

  @Requires('members.read')
  @FieldResolver(() => MemberConnection, {
    description: 'Members of the account, oldest membership first.',
  })
  async members(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => MemberFilter, {
      nullable: true,
      description: 'Filters the members. Default: all members.',
    })
    filter: MemberFilter | null,
    @Ctx() context: GraphqlContext,
  ): Promise<MemberConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(page);
    const wanted = {
      nameContains: filter?.nameContains ?? undefined,
      userIds: filter?.users?.slice(0, MAX_USERS).map(uuidOfAny),
    };
    const found = await this.#members.list(accountId, toTimedPage(request), wanted);
    const totalCount = await this.#members.count(accountId, wanted);
    const connection = toConnection(found, request, (seen) => ({
      cursor: timeCursor(seen.membership),
      node: toMember(seen),
    }));
    return { ...connection, totalCount };
  }

  @Requires('members.write')
  @Mutation(() => Member, {
    description:
      'Changes the role of a member, effective from their next request. Callers cannot assign or revoke a higher role than their own.',
  })
  async changeRole(
    @Arg('input', () => ChangeRoleInput, { description: 'The member and the new role.' })
    { memberId, role }: ChangeRoleInput,
    @Ctx() context: GraphqlContext,
  ): Promise<Member> {
    const caller = await context.caller();
    const own = await this.#callers.rolesOf(caller);
    return toMember(await this.#members.changeRole(caller.accountId, own, fromGlobalId('Member', memberId), role));
  }

  @Requires('members.write')
  @Mutation(() => Boolean, {
    description:
      'Removes a member from the account, effective from their next request. Their API keys continue to serve inference, but can no longer read or change the account.',
  })
  async removeMember(
    @Arg('memberId', () => ID, { description: 'ID of a `Member`.' }) memberId: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const caller = await context.caller();
    await this.#members.remove(caller.accountId, await this.#callers.rolesOf(caller), fromGlobalId('Member', memberId));
    return true;
  }

  @Requires('account.leave')
  @Mutation(() => Boolean, { description: 'Removes the signed-in user from the account. The last owner cannot leave.' })
  async leaveAccount(@Ctx() context: GraphqlContext): Promise<boolean> {
    const { accountId, userId } = await signedIn(context);
    await this.#members.leave(accountId, userId);
    return true;
  }

  @Requires('account.transfer')
  @Mutation(() => Member, {
    description: 'Makes a member the owner, and the current owner an administrator. Returns the new owner.',
  })
  async transferOwnership(
    @Arg('input', () => TransferOwnershipInput, { description: 'The new owner.' })
    { memberId }: TransferOwnershipInput,
    @Ctx() context: GraphqlContext,
  ): Promise<Member> {
    const { accountId, userId } = await signedIn(context);
    return toMember(await this.#members.transfer(accountId, userId, fromGlobalId('Member', memberId)));
  }
}

async function signedIn(context: GraphqlContext): Promise<{ accountId: string; userId: string }> {
  const caller = await context.caller();
  if (caller.kind === 'key') throw new SluiceError('forbidden', { detail: 'a key is no member' });
  return { accountId: caller.accountId, userId: caller.identity.userId };
}
