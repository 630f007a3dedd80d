import { Ctx, Query, Resolver } from 'type-graphql';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { toAccount, toMembership, toRole, toUser } from './account.mapping.ts';
import { Account, Viewer } from './account.types.ts';

@Resolver()
export class AccountResolver {
  @Requires('account.read')
  @Query(() => Viewer, { description: 'The authenticated caller and the current account.' })
  async viewer(@Ctx() context: GraphqlContext): Promise<Viewer> {
    const caller = await context.caller();
    const currentAccount = toAccount(await (await context.loaders()).account());
    if (caller.kind === 'key') return { user: null, accounts: [], currentAccount, role: null };
    const { identity, membership } = caller;
    return {
      user: toUser({ id: identity.userId, email: identity.email, name: identity.name }),
      accounts: identity.memberships.map(toMembership),
      currentAccount,
      role: toRole(membership.role),
    };
  }

  @Requires('account.read')
  @Query(() => Account, { description: 'The current account.' })
  async account(@Ctx() context: GraphqlContext): Promise<Account> {
    return toAccount(await (await context.loaders()).account());
  }
}
