import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { requireAssignableRole } from '../../services/authorization/authorization.ts';
import type { Callers } from '../../services/authorization/callers.ts';
import type { BudgetsService } from '../../services/budgets/budgets.service.ts';
import { roleOf } from '../../services/keys/key-settings.ts';
import type { KeysService } from '../../services/keys/keys.service.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { fromTimeCursor, PageArgs, pageSize } from '../relay/page.ts';
import { toApiKey, toApiKeyConnection } from './api-key.mapping.ts';
import {
  ApiKey,
  ApiKeyConnection,
  ApiKeyFilter,
  CreateApiKeyInput,
  CreatedApiKey,
  UpdateApiKeyInput,
} from './api-key.types.ts';

@Resolver()
export class ApiKeysResolver {
  readonly #keys: KeysService;
  readonly #budgets: Pick<BudgetsService, 'withKey'>;
  readonly #callers: Callers;

  constructor(keys: KeysService, budgets: Pick<BudgetsService, 'withKey'>, callers: Callers) {
    this.#keys = keys;
    this.#budgets = budgets;
    this.#callers = callers;
  }

  @Requires('keys.read')
  @Query(() => ApiKeyConnection, { description: 'The account’s API keys, newest first.' })
  async apiKeys(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => ApiKeyFilter, {
      nullable: true,
      description: 'Filters the keys. Default: all keys that are not revoked.',
    })
    filterInput: ApiKeyFilter | null,
    @Ctx() context: GraphqlContext,
  ): Promise<ApiKeyConnection> {
    const { accountId } = await context.caller();
    const filter = {
      nameContains: filterInput?.nameContains ?? undefined,
      revoked: filterInput?.includeRevoked ?? undefined,
    };
    const backwards = page.last !== undefined && page.last !== null;
    const limit = backwards ? pageSize('last', page.last) : pageSize('first', page.first);
    const { rows, hasMore } = await this.#keys.list(accountId, filter, {
      limit,
      after: position(page.after, false),
      before: position(page.before, true),
      backwards,
    });
    const more = backwards
      ? { hasNextPage: Boolean(page.before), hasPreviousPage: hasMore }
      : { hasNextPage: hasMore, hasPreviousPage: Boolean(page.after) };
    return toApiKeyConnection(rows, more, () => this.#keys.count(accountId, filter));
  }

  @Requires('keys.write')
  @Mutation(() => CreatedApiKey, { description: 'Creates an API key.' })
  async createApiKey(
    @Arg('input', () => CreateApiKeyInput, { description: 'Properties of the key.' }) input: CreateApiKeyInput,
    @Ctx() context: GraphqlContext,
  ): Promise<CreatedApiKey> {
    const caller = await context.caller();
    const { budget, ...members } = input;
    const keyInput = { ...members, scopes: input.scopes ?? undefined };
    if (keyInput.contentMayRaise === true) await context.require('content_logging.raise');
    const role = roleOf(keyInput);
    if (role !== null) requireAssignableRole(await this.#callers.rolesOf(caller), role);
    this.#callers.requireWithinCallerLimits(caller, {
      expiresAt: keyInput.expiresAt,
      scopes: keyInput.scopes ?? ['inference'],
    });
    await this.#callers.requireCanCreateKey(caller, { scopes: keyInput.scopes ?? [], role });
    const { secret, key } = await this.#budgets.withKey(caller.accountId, budget ?? undefined, (along) =>
      this.#keys.create(caller.accountId, this.#callers.creatorFor(caller), keyInput, along),
    );
    return { secret, apiKey: toApiKey(key) };
  }

  @Requires('keys.write')
  @Mutation(() => ApiKey, { description: 'Updates an API key.' })
  async updateApiKey(
    @Arg('input', () => UpdateApiKeyInput, { description: 'The changes.' }) input: UpdateApiKeyInput,
    @Ctx() context: GraphqlContext,
  ): Promise<ApiKey> {
    const caller = await context.caller();
    const { accountId } = caller;
    const { id, budget, ...change } = input;
    const keyId = fromGlobalId('ApiKey', id);
    if (change.contentMayRaise === true) await context.require('content_logging.raise');
    if (caller.kind === 'key' && caller.key.id === keyId) this.#callers.requirePermanentCredential(caller);
    // A temporary credential cannot make lasting changes to another key.
    this.#callers.requireWithinCallerLimits(caller, {
      expiresAt: (await this.#keys.get(accountId, keyId)).expiresAt,
      scopes: [],
    });
    if (change.expiresAt !== undefined)
      this.#callers.requireWithinCallerLimits(caller, { expiresAt: change.expiresAt, scopes: [] });
    const key = await this.#budgets.withKey(accountId, budget, (along) =>
      this.#keys.update(accountId, keyId, change, along),
    );
    return toApiKey(key);
  }

  @Requires('keys.write')
  @Mutation(() => ApiKey, {
    description:
      'Permanently revokes an API key. It is rejected within one second, and its running requests are cancelled.',
  })
  async revokeApiKey(
    @Arg('id', () => ID, { description: 'ID of an `ApiKey`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<ApiKey> {
    const { accountId } = await context.caller();
    return toApiKey(await this.#keys.revoke(accountId, fromGlobalId('ApiKey', id)));
  }
}

function position(cursor: string | null | undefined, backwards: boolean): { createdAt: Date; id: string } | undefined {
  if (!cursor) return undefined;
  const { at, id } = fromTimeCursor(cursor, backwards);
  return { createdAt: at, id };
}
