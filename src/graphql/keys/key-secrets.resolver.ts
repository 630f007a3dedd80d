import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { Callers } from '../../services/authorization/callers.ts';
import type { KeysService } from '../../services/keys/keys.service.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { toApiKey } from './api-key.mapping.ts';
import { RotateApiKeyInput, RotatedApiKey } from './key-secrets.types.ts';

@Resolver()
export class KeySecretsResolver {
  readonly #keys: KeysService;
  readonly #callers: Callers;

  constructor(keys: KeysService, callers: Callers) {
    this.#keys = keys;
    this.#callers = callers;
  }

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
    const found = await this.#keys.get(caller.accountId, fromGlobalId('ApiKey', id));
    await this.#callers.requireKeyPermissions(caller, found, found.scopes);
    await this.#callers.requireCanSpendFor(caller, found);
    const by = caller.kind === 'key' ? caller.key : null;
    if (by?.id !== found.id) this.#callers.requireWithinCallerLimits(caller, found);
    const { secret, key } = await this.#keys.rotate(caller.accountId, found.id, { overlapSeconds }, by);
    return { secret, apiKey: toApiKey(key) };
  }
}
