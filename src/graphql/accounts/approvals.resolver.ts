import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Requires } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { timeCursor, toTimedPage } from '../members/member.mapping.ts';
import { fromGlobalId, toGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { Account, SpendingRestriction } from './account.types.ts';
import { UnapprovedAccountConnection } from './approvals.types.ts';

const restrictions = {
  verification: SpendingRestriction.VERIFICATION,
  approval: SpendingRestriction.APPROVAL,
} as const;

/** Approval of new accounts, and their spending restriction before it. */
@Resolver(() => Account)
export class ApprovalsResolver {
  @FieldResolver(() => SpendingRestriction, {
    nullable: true,
    description:
      'What the account must do before its requests can use the operator’s provider credentials. Null if it is not restricted.',
  })
  spendingRestriction(@Root() { row }: Account, @Ctx() context: GraphqlContext): SpendingRestriction | null {
    const restriction = row.spendingRestricted ? context.services.directory.restriction : null;
    return restriction === null ? null : restrictions[restriction];
  }

  @Requires('accounts.approve')
  @Query(() => UnapprovedAccountConnection, {
    description: 'Accounts of this server that wait for approval. Only for owners of the operator’s account.',
  })
  async accountsToApprove(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() { services }: GraphqlContext,
  ): Promise<UnapprovedAccountConnection> {
    const request = pageRequest(page);
    const found = await services.approvals.list(toTimedPage(request));
    const totalCount = await services.approvals.count();
    const connection = toConnection(found, request, ({ account, owners }) => ({
      cursor: timeCursor(account),
      node: {
        accountId: toGlobalId('Account', account.id),
        name: account.name,
        owners,
        createdAt: account.createdAt,
      },
    }));
    return { ...connection, totalCount };
  }

  @Requires('accounts.approve')
  @Mutation(() => Boolean, {
    description:
      'Approves an account: its requests can use the operator’s provider credentials. Only for owners of the operator’s account.',
  })
  async approveAccount(
    @Arg('id', () => ID, { description: 'The `accountId` of an `UnapprovedAccount`.' }) id: string,
    @Ctx() { services }: GraphqlContext,
  ): Promise<boolean> {
    await services.approvals.approve(fromGlobalId('Account', id));
    return true;
  }
}
