import { Arg, Args, Ctx, ID, Query, Resolver } from 'type-graphql';
import { mayUseModel, type ModelListing } from '../../gateway/model-directory.ts';
import { Requires } from '../access.ts';
import type { Caller, GraphqlContext } from '../context.ts';
import { ForwardPageArgs, fromCursor, pageSize, toCursor } from '../relay/page.ts';
import { toModelPricing } from './model-pricing.mapping.ts';
import { Model, ModelConnection, ModelFilter, ModelOrder } from './model.types.ts';

@Resolver()
export class ModelsResolver {
  @Requires('account.read')
  @Query(() => ModelConnection, { description: 'The models that can be called now.' })
  async models(
    @Args(() => ForwardPageArgs) page: ForwardPageArgs,
    @Arg('filter', () => ModelFilter, { nullable: true }) filter: ModelFilter | null,
    @Arg('orderBy', () => ModelOrder, { nullable: true }) orderBy: ModelOrder | null,
    @Ctx() context: GraphqlContext,
  ): Promise<ModelConnection> {
    const caller = await context.caller();
    const visible = visibleTo(caller);
    await context.services.models.ready(caller.accountId);
    const found = context.services.models
      .list(caller.accountId)
      .filter((model) => visible(model) && matches(model, filter))
      .toSorted(orders[orderBy ?? ModelOrder.ID]);
    const start = page.after ? found.findIndex(({ id }) => id === fromCursor(page.after ?? '', 1)[0]) + 1 : 0;
    const shown = found.slice(start, start + pageSize('first', page.first));
    const edges = shown.map((model) => ({ cursor: toCursor([model.id]), node: toModel(model) }));
    const pageInfo = {
      hasNextPage: start + shown.length < found.length,
      hasPreviousPage: start > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    };
    return { edges, nodes: edges.map(({ node }) => node), pageInfo, totalCount: found.length };
  }

  @Requires('account.read')
  @Query(() => Model, { nullable: true, description: 'A model by its name.' })
  async model(@Arg('id', () => ID) id: string, @Ctx() context: GraphqlContext): Promise<Model | null> {
    const caller = await context.caller();
    await context.services.models.ready(caller.accountId);
    const model = context.services.models.find(id, caller.accountId);
    return model && visibleTo(caller)(model) ? toModel(model) : null;
  }
}

function visibleTo(caller: Caller): (model: ModelListing) => boolean {
  return (model) => caller.kind === 'session' || mayUseModel(caller.key, model.id);
}

function matches(model: ModelListing, filter: ModelFilter | null): boolean {
  if (filter?.provider && model.provider !== filter.provider) return false;
  if (filter?.capability && !model.capabilities.includes(filter.capability)) return false;
  return !filter?.search || `${model.id} ${model.name}`.toLowerCase().includes(filter.search.toLowerCase());
}

const byId = (a: ModelListing, b: ModelListing): number => (a.id < b.id ? -1 : 1);

const orders: Readonly<Record<ModelOrder, (a: ModelListing, b: ModelListing) => number>> = {
  [ModelOrder.ID]: byId,
  [ModelOrder.NEWEST]: (a, b) => b.created - a.created || byId(a, b),
  [ModelOrder.CONTEXT_WINDOW]: (a, b) => (b.contextWindow ?? 0) - (a.contextWindow ?? 0) || byId(a, b),
};

function toModel(model: ModelListing): Model {
  const { id, name, provider, contextWindow, maxOutputTokens, pricing, created } = model;
  return {
    id,
    name,
    provider,
    contextWindow,
    maxOutputTokens,
    inputModalities: [...model.inputModalities],
    outputModalities: [...model.outputModalities],
    capabilities: [...model.capabilities],
    pricing: pricing && toModelPricing(pricing),
    releasedAt: created === 0 ? null : new Date(created * 1_000),
  };
}
