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
      'Replaces the secret of an API key. The previous secret stays valid for a while, so that clients can switch without failures. Rotating a key of another member requires the permission to set budgets, because its spending counts toward that member.',
  })
  async rotateApiKey(
    @Arg('input', () => RotateApiKeyInput, { description: 'The key, and how long the previous secret stays valid.' }) {
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
