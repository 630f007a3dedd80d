import { Ctx, Query, Resolver } from 'type-graphql';
import type { Account as AccountEntity } from '../../database/entities/index.ts';
import type { MembershipRole } from '../../database/entities/index.ts';
import { Requires } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { Account, Role, Viewer } from './account.types.ts';

@Resolver()
export class AccountResolver {
  @Requires('account.read')
  @Query(() => Viewer, { description: 'Who makes this request, and for which account.' })
  async viewer(@Ctx() context: GraphqlContext): Promise<Viewer> {
    const caller = await context.caller();
    const currentAccount = toAccount(await context.services.accounts.account(caller.accountId));
    if (caller.kind === 'key') return { user: null, accounts: [], currentAccount, role: null };
    const { identity, membership } = caller;
    return {
      user: { id: toGlobalId('User', identity.userId), email: identity.email, name: identity.name },
      accounts: identity.memberships.map((each) => ({
        accountId: toGlobalId('Account', each.accountId),
        accountName: each.accountName,
        role: toRole(each.role),
      })),
      currentAccount,
      role: toRole(membership.role),
    };
  }

  @Requires('account.read')
  @Query(() => Account, { description: 'The account that this request is about.' })
  async account(@Ctx() context: GraphqlContext): Promise<Account> {
    const { accountId } = await context.caller();
    return toAccount(await context.services.accounts.account(accountId));
  }
}

function toAccount({ id, name, plan, timeZone, createdAt }: AccountEntity): Account {
  return { id: toGlobalId('Account', id), name, plan, timeZone, createdAt };
}

const roles: Readonly<Record<MembershipRole, Role>> = {
  owner: Role.OWNER,
  admin: Role.ADMIN,
  developer: Role.DEVELOPER,
  billing: Role.BILLING,
  viewer: Role.VIEWER,
};

function toRole(role: MembershipRole): Role {
  return roles[role];
}
