import { Arg, Args, Ctx, ID, Query, Resolver } from 'type-graphql';
import type { ModelDirectory } from '../../gateway/keys/model-directory.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromCursor, PageArgs, pageRequest, toConnection, toCursor } from '../relay/page.ts';
import { modelMatcher, modelOrders } from './model-filter.ts';
import { toModel, visibleTo } from './model.mapping.ts';
import { Model, ModelConnection, ModelFilter, ModelOrder } from './model.types.ts';

@Resolver()
export class ModelsResolver {
  readonly #models: ModelDirectory;

  constructor(models: ModelDirectory) {
    this.#models = models;
  }

  @Requires('account.read')
  @Query(() => ModelConnection, { description: 'The models that are available now.' })
  async models(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => ModelFilter, { nullable: true, description: 'Filters the models. Default: all models.' })
    filter: ModelFilter | null,
    @Arg('orderBy', () => ModelOrder, { nullable: true, description: 'Sort order. Default: by ID.' })
    orderBy: ModelOrder | null,
    @Ctx() context: GraphqlContext,
  ): Promise<ModelConnection> {
    const caller = await context.caller();
    const visible = visibleTo(caller);
    const matches = modelMatcher(filter ?? {});
    await this.#models.ready(caller.accountId);
    const found = this.#models
      .list(caller.accountId)
      .filter((model) => visible(model) && matches(model))
      .toSorted(modelOrders[orderBy ?? ModelOrder.ID]);
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const ordered = backwards ? found.toReversed() : found;
    const start = from === null ? 0 : ordered.findIndex(({ id }) => id === fromCursor(from, 1, backwards)[0]) + 1;
    const shown = { rows: ordered.slice(start, start + limit), hasMore: start + limit < ordered.length };
    const connection = toConnection(shown, request, (model) => ({
      cursor: toCursor([model.id]),
      node: toModel(model),
    }));
    return { ...connection, totalCount: found.length };
  }

  @Requires('account.read')
  @Query(() => [String], { description: 'The known regions of the available models, sorted by name.' })
  async modelRegions(@Ctx() context: GraphqlContext): Promise<string[]> {
    const caller = await context.caller();
    await this.#models.ready(caller.accountId);
    const visible = this.#models.list(caller.accountId).filter(visibleTo(caller));
    return [...new Set(visible.flatMap(({ region }) => region ?? []))].toSorted();
  }

  @Requires('account.read')
  @Query(() => Model, { nullable: true, description: 'The model with this name.' })
  async model(
    @Arg('id', () => ID, { description: 'The name used in requests: `provider/model`, or the bare name.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Model | null> {
    const caller = await context.caller();
    await this.#models.ready(caller.accountId);
    const model = this.#models.find(id, caller.accountId);
    return model && visibleTo(caller)(model) ? toModel(model) : null;
  }
}
