import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import { isAllowedForItself } from '../../services/accounts/authorization.ts';
import { Requires } from '../access.ts';
import type { Caller, GraphqlContext } from '../context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { toApiKey } from './api-key.mapping.ts';
import { KeyScope } from './api-key.types.ts';
import { CreateAccessTokenInput, CreatedAccessToken, RotateApiKeyInput, RotatedApiKey } from './key-secrets.types.ts';

const allScopes = Object.values(KeyScope);

@Resolver()
export class KeySecretsResolver {
  @Requires('keys.write')
  @Mutation(() => RotatedApiKey, {
    description:
      'Gives a key another secret. The one before works beside it for a while, so that no caller fails while it is replaced.',
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
    const by = caller.kind === 'key' ? caller.key : null;
    if (by?.id !== found.id) callers.requireNoMore(caller, found);
    const { secret, key } = await keys.rotate(caller.accountId, found.id, { overlapSeconds }, by);
    return { secret, apiKey: toApiKey(key) };
  }

  @Mutation(() => CreatedAccessToken, {
    description:
      'Makes a token that runs as a key for at most an hour, with some of its scopes. A key may make them of itself whatever its scopes are, of other keys with `MANAGE`; a token makes none.',
  })
  async createAccessToken(
    @Arg('input', () => CreateAccessTokenInput, { description: 'Whose, for what and how long.' }) {
      apiKeyId,
      scopes,
      expiresInSeconds,
    }: CreateAccessTokenInput,
    @Ctx() context: GraphqlContext,
  ): Promise<CreatedAccessToken> {
    const { caller, keyId } = await signerOf(context, apiKeyId ?? null, scopes);
    const by = caller.kind === 'key' ? caller.key : null;
    const { accessTokens } = context.services;
    const made = await accessTokens.create(caller.accountId, keyId, { scopes, expiresInSeconds }, by);
    return { ...made, scopes: allScopes.filter((scope) => made.scopes.includes(scope)) };
  }
}

/** Whose key a token is made of, if this caller may. */
async function signerOf(
  context: GraphqlContext,
  globalId: string | null,
  scopes: readonly KeyScope[],
): Promise<{ caller: Caller; keyId: string }> {
  const caller = await context.caller();
  // Else one that was given for an hour would last for ever.
  if (caller.kind === 'key' && caller.key.credential === 'access_token') throw new SluiceError('credential_ends');
  const own = caller.kind === 'key' ? caller.key.id : null;
  const keyId = globalId === null ? own : fromGlobalId('ApiKey', globalId);
  if (keyId === null)
    throw new SluiceError('bad_user_input', {
      param: 'apiKeyId',
      values: { reason: 'apiKeyId: a signed-in user names a key' },
    });
  if (keyId !== own || !isAllowedForItself('tokens.create')) {
    await context.require('tokens.create');
    const { keys, callers } = context.services;
    await callers.requireMayHold(caller, await keys.get(caller.accountId, keyId), scopes);
  }
  return { caller, keyId };
}
