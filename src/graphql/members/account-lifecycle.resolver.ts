import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../access.ts';
import { toAccount } from '../accounts/account.mapping.ts';
import { Account } from '../accounts/account.types.ts';
import type { GraphqlContext } from '../context.ts';
import { CreateAccountInput, DeleteAccountInput } from './member.types.ts';

@Resolver()
export class AccountLifecycleResolver {
  @Mutation(() => Account, {
    description:
      'One more account of the signed-in user’s, who is its owner. The header `x-sluice-account` selects it from then on.',
  })
  async createAccount(
    @Arg('input', () => CreateAccountInput, { description: 'What it is like.' }) input: CreateAccountInput,
    @Ctx() context: GraphqlContext,
  ): Promise<Account> {
    const { userId } = await context.signedIn();
    return toAccount(await context.services.lifecycle.create(userId, input));
  }

  @Requires('account.delete')
  @Mutation(() => Account, {
    description:
      'Deletes the account: its keys are refused at once. It is erased after 30 days; until then `cancelAccountDeletion` restores it.',
  })
  async deleteAccount(
    @Arg('input', () => DeleteAccountInput, { description: 'That it is meant.' })
    { confirmName }: DeleteAccountInput,
    @Ctx() context: GraphqlContext,
  ): Promise<Account> {
    const { accountId } = await context.caller();
    return toAccount(await context.services.lifecycle.delete(accountId, confirmName));
  }

  @Requires('account.delete')
  @Mutation(() => Account, { description: 'Restores an account that was deleted and is not erased yet.' })
  async cancelAccountDeletion(@Ctx() context: GraphqlContext): Promise<Account> {
    const { accountId } = await context.caller();
    return toAccount(await context.services.lifecycle.restore(accountId));
  }
}
