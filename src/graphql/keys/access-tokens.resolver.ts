import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import { isAllowedForItself } from '../../services/authorization/authorization.ts';
import type { Callers } from '../../services/authorization/callers.ts';
import type { AccessTokensService } from '../../services/keys/access-tokens.service.ts';
import type { KeysService } from '../../services/keys/keys.service.ts';
import { Requires } from '../operation/access.ts';
import { toUser } from '../accounts/account.mapping.ts';
import { User } from '../accounts/account.types.ts';
import type { Caller, GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { timeCursor, toTimedPage } from '../relay/timed-page.ts';
import {
  AccessToken,
  AccessTokenConnection,
  CreateAccessTokenInput,
  CreatedAccessToken,
} from './access-tokens.types.ts';
import { toAccessToken } from './access-token.mapping.ts';
import { ApiKey, type KeyScope } from './api-key.types.ts';
import { loadApiKey } from './load-api-key.ts';

@Resolver(() => AccessToken)
export class AccessTokensResolver {
  readonly #accessTokens: AccessTokensService;
  readonly #callers: Callers;
  readonly #keys: KeysService;

  constructor(accessTokens: AccessTokensService, callers: Callers, keys: KeysService) {
    this.#accessTokens = accessTokens;
    this.#callers = callers;
    this.#keys = keys;
  }

  @Requires('keys.read')
  @Query(() => AccessTokenConnection, { description: 'Active access tokens, newest first.' })
  async accessTokens(
    @Arg('apiKeyId', () => ID, {
      nullable: true,
      description: 'Only tokens of this `ApiKey`. Default: tokens of all keys.',
    })
    apiKeyId: string | null | undefined,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<AccessTokenConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(page);
    const keyId = apiKeyId ? fromGlobalId('ApiKey', apiKeyId) : null;
    const found = await this.#accessTokens.list(accountId, keyId, toTimedPage(request));
    return toConnection(found, request, (row) => ({ cursor: timeCursor(row), node: toAccessToken(row) }));
  }

  @Mutation(() => CreatedAccessToken, {
    description:
      'Creates an access token that acts as an API key for at most one hour, with a subset of its scopes. An API key can create tokens for itself with any scope, and for other keys with `MANAGE`. An access token cannot create tokens.',
  })
  async createAccessToken(
    @Arg('input', () => CreateAccessTokenInput, { description: 'The key, scopes and lifetime.' }) {
      apiKeyId,
      scopes,
      expiresInSeconds,
    }: CreateAccessTokenInput,
    @Ctx() context: GraphqlContext,
  ): Promise<CreatedAccessToken> {
    const { caller, keyId } = await this.#signerOf(context, apiKeyId ?? null, scopes);
    const by = { userId: this.#callers.creatorFor(caller), key: caller.kind === 'key' ? caller.key : null };
    const made = await this.#accessTokens.create(caller.accountId, keyId, { scopes, expiresInSeconds }, by);
    const { token, row } = made;
    const accessToken = toAccessToken(row);
    return { token, expiresAt: row.expiresAt, scopes: accessToken.scopes, accessToken };
  }

  @Mutation(() => Boolean, {
    description:
      'Revokes an access token. It is rejected within one second, and its running requests are cancelled. An access token can revoke itself, and an API key can revoke its own tokens.',
  })
  async revokeAccessToken(
    @Arg('id', () => ID, { description: 'ID of an `AccessToken`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const caller = await context.caller();
    const tokenId = fromGlobalId('AccessToken', id);
    if (!(await this.#isOwn(context, caller, tokenId))) await context.require('tokens.create');
    await this.#accessTokens.revoke(caller.accountId, tokenId);
    return true;
  }

  @Requires('keys.read')
  @FieldResolver(() => ApiKey, { nullable: true, description: 'The API key that the token acts as.' })
  apiKey(@Root() { apiKeyId }: AccessToken, @Ctx() context: GraphqlContext): Promise<ApiKey | null> {
    return loadApiKey(context, apiKeyId);
  }

  @Requires('keys.read')
  @FieldResolver(() => User, {
    nullable: true,
    description:
      'The member who created the token, or who owns the key that created it. Spending counts toward this member. Null if there is none, or the member has left the account.',
  })
  async createdBy(@Root() { createdById }: AccessToken, @Ctx() context: GraphqlContext): Promise<User | null> {
    if (createdById === null) return null;
    const user = await (await context.loaders()).member(createdById);
    return user && toUser(user);
  }

  /** Whether a caller may revoke a token without the permission to manage keys. @throws SluiceError credential_ends */
  async #isOwn(context: GraphqlContext, caller: Caller, tokenId: string): Promise<boolean> {
    if (caller.kind !== 'key' || !isAllowedForItself('tokens.create')) return false;
    const { key } = caller;
    if (key.credential === 'access_token') {
      if (key.tokenId === tokenId) return true;
      throw new SluiceError('credential_ends');
    }
    const [token] = await this.#accessTokens.byIds(caller.accountId, [tokenId]);
    return token?.apiKey.id === key.id;
  }

  /** The key that signs the token, if the caller may use it. */
  async #signerOf(
    context: GraphqlContext,
    globalId: string | null,
    scopes: readonly KeyScope[],
  ): Promise<{ caller: Caller; keyId: string }> {
    const caller = await context.caller();
    // Otherwise a token with a lifetime of one hour could be renewed forever.
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
      await this.#callers.requireKeyPermissions(caller, await this.#keys.get(caller.accountId, keyId), scopes);
    }
    return { caller, keyId };
  }
}
