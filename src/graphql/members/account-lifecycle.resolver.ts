import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { AccountLifecycleService } from '../../services/members/account-lifecycle.service.ts';
import { Requires } from '../operation/access.ts';
import { toAccount } from '../accounts/account.mapping.ts';
import { Account } from '../accounts/account.types.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { CreateAccountInput, DeleteAccountInput } from './member.types.ts';

@Resolver()
export class AccountLifecycleResolver {
  readonly #lifecycle: AccountLifecycleService;

  constructor(lifecycle: AccountLifecycleService) {
    this.#lifecycle = lifecycle;
  }

  @Mutation(() => Account, {
    description: 'Creates another account that the signed-in user owns. Select it with the header `x-sluice-account`.',
  })
  async createAccount(
    @Arg('input', () => CreateAccountInput, { description: 'Properties of the account.' }) input: CreateAccountInput,
    @Ctx() context: GraphqlContext,
  ): Promise<Account> {
    const { userId } = await context.requireSession();
    return toAccount(await this.#lifecycle.create(userId, input));
  }

  @Requires('account.delete')
  @Mutation(() => Account, {
    description:
      'Deletes the account. Its API keys are rejected immediately. It is erased after 30 days; until then `cancelAccountDeletion` restores it.',
  })
  async deleteAccount(
    @Arg('input', () => DeleteAccountInput, { description: 'Confirms the deletion.' })
    { confirmName }: DeleteAccountInput,
    @Ctx() context: GraphqlContext,
  ): Promise<Account> {
    const { accountId } = await context.caller();
    return toAccount(await this.#lifecycle.delete(accountId, confirmName));
  }

  @Requires('account.delete')
  @Mutation(() => Account, { description: 'Restores a deleted account that is not erased yet.' })
  async cancelAccountDeletion(@Ctx() context: GraphqlContext): Promise<Account> {
    const { accountId } = await context.caller();
    return toAccount(await this.#lifecycle.restore(accountId));
  }
}
