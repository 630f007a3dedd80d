import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import type { Callers } from '../../services/authorization/callers.ts';
import type { ComparisonsService } from '../../services/comparisons/comparisons.service.ts';
import { Requires } from '../operation/access.ts';
import { selectedFields } from '../operation/selected-fields.ts';
import type { Caller, GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { fromTimeCursor, PageArgs, pageRequest, toConnection, toCursor } from '../relay/page.ts';
import { requireComparison } from './comparison-access.ts';
import { ComparisonFilter, StartComparisonInput } from './comparison.input.ts';
import { toComparison, toSharedComparison, voterOf } from './comparison.mapping.ts';
import { Comparison, ComparisonConnection, ComparisonLink, SharedComparison } from './comparison.types.ts';
import { laneTexts, type ComparisonView } from '../../services/comparisons/comparison-views.ts';
import type { CallerKeys } from '../completions/caller-keys.ts';

@Resolver()
export class ComparisonsResolver {
  readonly #comparisons: ComparisonsService;
  readonly #callers: Callers;
  readonly #keys: CallerKeys;

  constructor(comparisons: ComparisonsService, callers: Callers, keys: CallerKeys) {
    this.#comparisons = comparisons;
    this.#callers = callers;
    this.#keys = keys;
  }

  @Requires('comparisons.read')
  @Query(() => Comparison, { nullable: true, description: 'A comparison of the account.' })
  async comparison(
    @Arg('id', () => ID, { description: 'The `id` that `startComparison` returned.' }) id: string,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Comparison> {
    return this.#load(context, id, info);
  }

  @Requires('comparisons.read')
  @Query(() => ComparisonConnection, { description: 'The account’s comparisons, newest first.' })
  async comparisons(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => ComparisonFilter, { nullable: true, description: 'Filters the items. Default: all items.' })
    filter: ComparisonFilter | null,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ComparisonConnection> {
    const caller = await context.caller();
    const memberId = filter?.memberId ? fromGlobalId('User', filter.memberId) : null;
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const after = from === null ? null : fromTimeCursor(from, backwards);
    const asked = { ...filter, memberId };
    const { views, hasMore } = await this.#comparisons.list(
      caller.accountId,
      asked,
      limit,
      after,
      backwards,
      selectedFields(info, laneTexts),
    );
    return toConnection({ rows: views, hasMore }, request, (view) => ({
      cursor: toCursor([view.row.createdAt.toISOString(), view.row.id]),
      node: this.#shown(caller, view),
    }));
  }

  @Query(() => SharedComparison, { description: 'A shared comparison. Requires no authentication.' })
  async sharedComparison(
    @Arg('token', () => String, { description: 'The token in the link.' }) token: string,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SharedComparison> {
    const view = await this.#comparisons.shared(token, selectedFields(info, laneTexts));
    return toSharedComparison(view, this.#comparisons.linkTo);
  }

  @Requires('completions.run')
  @Mutation(() => Comparison, {
    description:
      'Sends a request to several models concurrently. Each request counts toward the limits and budgets of the caller’s key. A failed request does not affect the others.',
  })
  async startComparison(
    @Arg('input', () => StartComparisonInput, { description: 'The request and the models.' })
    input: StartComparisonInput,
    @Ctx() context: GraphqlContext,
  ): Promise<Comparison> {
    const caller = await context.caller();
    const key = await this.#keys.of(context);
    return this.#shown(caller, await this.#comparisons.start(key, input));
  }

  @Requires('completions.run')
  @Mutation(() => Comparison, {
    description: 'Cancels one or all lanes of a comparison. Output received so far is stored.',
  })
  async cancelComparison(
    @Arg('id', () => ID, { description: 'The comparison.' }) id: string,
    @Arg('model', () => String, {
      nullable: true,
      description: 'The model of one lane, by its requested name. Default: all lanes.',
    })
    model: string | null,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Comparison> {
    const { accountId } = await requireComparison(
      context,
      'comparisons.cancel',
      fromId(id),
      this.#callers,
      this.#comparisons,
    );
    await this.#comparisons.cancel(accountId, fromId(id), model ?? null);
    return this.#load(context, id, info);
  }

  @Requires('comparisons.write')
  @Mutation(() => Comparison, {
    description: 'Votes for the best model. Each caller has one vote; a new vote replaces the previous one.',
  })
  async voteComparison(
    @Arg('id', () => ID, { description: 'The comparison.' }) id: string,
    @Arg('winner', () => String, {
      nullable: true,
      description: 'The winning model, by its requested name. Null for a tie.',
    })
    winner: string | null,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Comparison> {
    const caller = await context.caller();
    await this.#comparisons.vote(caller.accountId, fromId(id), voterOf(caller), winner ?? null);
    return this.#load(context, id, info);
  }

  @Requires('comparisons.write')
  @Mutation(() => Comparison, { description: 'Withdraws the caller’s vote.' })
  async withdrawComparisonVote(
    @Arg('id', () => ID, { description: 'The comparison.' }) id: string,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Comparison> {
    const caller = await context.caller();
    await this.#comparisons.withdrawVote(caller.accountId, fromId(id), voterOf(caller));
    return this.#load(context, id, info);
  }

  @Requires('comparisons.write')
  @Mutation(() => Comparison, { description: 'Renames a comparison.' })
  async renameComparison(
    @Arg('id', () => ID, { description: 'The comparison.' }) id: string,
    @Arg('name', () => String, { nullable: true, description: 'Maximum 200 characters. Null removes the name.' })
    name: string | null,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Comparison> {
    const { accountId } = await context.caller();
    await this.#comparisons.rename(accountId, fromId(id), name ?? null);
    return this.#load(context, id, info);
  }

  @Requires('comparisons.share')
  @Mutation(() => ComparisonLink, {
    description: 'Creates a public link to a comparison. A previous link becomes invalid.',
  })
  async shareComparison(
    @Arg('id', () => ID, { description: 'The comparison.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<ComparisonLink> {
    const { accountId } = await context.caller();
    return this.#comparisons.share(accountId, fromId(id));
  }

  @Requires('comparisons.write')
  @Mutation(() => Comparison, { description: 'Revokes the link of a comparison.' })
  async unshareComparison(
    @Arg('id', () => ID, { description: 'The comparison.' }) id: string,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Comparison> {
    const { accountId } = await context.caller();
    await this.#comparisons.unshare(accountId, fromId(id));
    return this.#load(context, id, info);
  }

  @Requires('comparisons.write')
  @Mutation(() => Boolean, { description: 'Deletes a comparison and its files.' })
  async deleteComparison(
    @Arg('id', () => ID, { description: 'The comparison.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId } = await context.caller();
    await this.#comparisons.remove(accountId, fromId(id));
    return true;
  }

  /** The current state of a comparison, limited to the selected fields. */
  async #load(context: GraphqlContext, id: string, info: GraphQLResolveInfo): Promise<Comparison> {
    const caller = await context.caller();
    const view = await this.#comparisons.get(caller.accountId, fromId(id), selectedFields(info, laneTexts));
    return this.#shown(caller, view);
  }

  #shown(caller: Caller, view: ComparisonView): Comparison {
    return toComparison(view, voterOf(caller), this.#comparisons.linkTo);
  }
}

function fromId(id: string): string {
  return fromGlobalId('Comparison', id);
}
