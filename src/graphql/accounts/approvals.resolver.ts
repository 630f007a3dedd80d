import { Arg, Args, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { SpendingApprovals } from '../../services/accounts/spending-approvals.ts';
import type { MemoryKeyDirectory } from '../../services/keys/key-directory.ts';
import { Requires } from '../operation/access.ts';
import { fromGlobalId, toGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { timeCursor, toTimedPage } from '../relay/timed-page.ts';
import { Account, SpendingRestriction } from './account.types.ts';
import { UnapprovedAccountConnection } from './approvals.types.ts';

const restrictions = {
  verification: SpendingRestriction.VERIFICATION,
  approval: SpendingRestriction.APPROVAL,
} as const;

/** Approval of new accounts, and their spending restriction before it. */
@Resolver(() => Account)
export class ApprovalsResolver {
  readonly #directory: MemoryKeyDirectory;
  readonly #approvals: SpendingApprovals;

  constructor(directory: MemoryKeyDirectory, approvals: SpendingApprovals) {
    this.#directory = directory;
    this.#approvals = approvals;
  }

  @FieldResolver(() => SpendingRestriction, {
    nullable: true,
    description:
      'What the account must do before its requests can use the operator’s provider credentials. Null if it is not restricted.',
  })
  spendingRestriction(@Root() { row }: Account): SpendingRestriction | null {
    const restriction = row.spendingRestricted ? this.#directory.restriction : null;
    return restriction === null ? null : restrictions[restriction];
  }

  @Requires('accounts.approve')
  @Query(() => UnapprovedAccountConnection, {
    description: 'Accounts of this server that wait for approval. Only for owners of the operator’s account.',
  })
  async accountsToApprove(@Args(() => PageArgs) page: PageArgs): Promise<UnapprovedAccountConnection> {
    const request = pageRequest(page);
    const found = await this.#approvals.list(toTimedPage(request));
    const totalCount = await this.#approvals.count();
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
  ): Promise<boolean> {
    await this.#approvals.approve(fromGlobalId('Account', id));
    return true;
  }
}
