import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { MAX_PAGE_SIZE } from '../relay/page.ts';
import { Node, type LoadedNode } from '../relay/node.types.ts';
import { loadNodes, type NodeSources } from './load-nodes.ts';

/** Each type requires the same permission as its own fields. */
@Resolver()
export class NodesResolver {
  readonly #sources: NodeSources;

  constructor(sources: NodeSources) {
    this.#sources = sources;
  }

  @Query(() => Node, {
    nullable: true,
    description: 'The object with this ID. Null if the account has no such object.',
  })
  async node(
    @Arg('id', () => ID, { description: 'The `id` of any object.' }) id: string,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<LoadedNode | null> {
    const [found = null] = await loadNodes(this.#sources, context, [id], info);
    return found;
  }

  @Query(() => [Node], {
    nullable: 'items',
    description: 'The objects with these IDs, in the same order. Null for each that the account does not have.',
  })
  async nodes(
    @Arg('ids', () => [ID], { description: `IDs of any objects. Maximum ${MAX_PAGE_SIZE}.` }) ids: string[],
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<readonly (LoadedNode | null)[]> {
    if (ids.length > MAX_PAGE_SIZE)
      throw new SluiceError('bad_user_input', {
        param: 'ids',
        values: { reason: `ids: must be at most ${MAX_PAGE_SIZE}` },
      });
    return loadNodes(this.#sources, context, ids, info);
  }
}
