import type { AccountsService } from '../../services/identity/accounts.service.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toAccount } from './account.mapping.ts';

/** Users and accounts by their IDs. */
export function accountNodes(accounts: Pick<AccountsService, 'account'>): NodeLoaders {
  return {
    User: async (context, ids) => {
      const caller = await context.require('account.read');
      if (caller.kind === 'key' || !ids.includes(caller.identity.userId)) return [];
      const { userId, email, name } = caller.identity;
      return [withTypename('User', { id: toGlobalId('User', userId), email, name })];
    },
    Account: async (context, ids) => {
      const { accountId } = await context.require('account.read');
      if (!ids.includes(accountId)) return [];
      return [withTypename('Account', toAccount(await accounts.account(accountId)))];
    },
  };
}
