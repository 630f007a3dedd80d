import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { toApiKey } from './api-key.mapping.ts';
import { RotateApiKeyInput, RotatedApiKey } from './key-secrets.types.ts';

@Resolver()
export class KeySecretsResolver {
  @Requires('keys.write')
  @Mutation(() => RotatedApiKey, {
    description:
      'Gives a key another secret. The one before works beside it for a while, so that no caller fails while it is replaced. A key that another member made is rotated by who may set budgets: its spending counts for its maker.',
  })
  async rotateApiKey(
    @Arg('input', () => RotateApiKeyInput, { description: 'Which key, and how long both secrets work.' }) {
      id,
      overlapSeconds,
    }: RotateApiKeyInput,
    @Ctx() context: GraphqlContext,
  ): Promise<RotatedApiKey> {
    const caller = await context.caller();
    const { keys, callers } = context.services;
    const found = await keys.get(caller.accountId, fromGlobalId('ApiKey', id));
    await callers.requireMayHold(caller, found, found.scopes);
    await callers.requireMaySpendBy(caller, found);
    const by = caller.kind === 'key' ? caller.key : null;
    if (by?.id !== found.id) callers.requireNoMore(caller, found);
    const { secret, key } = await keys.rotate(caller.accountId, found.id, { overlapSeconds }, by);
    return { secret, apiKey: toApiKey(key) };
  }
}
