import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { GraphqlContext } from '../context.ts';
import { loadNodes } from './node-loaders.ts';
import { Node, type LoadedNode } from './node.types.ts';
import { MAX_PAGE_SIZE } from './page.ts';

/** Each type asks its caller for what its own fields ask for. */
@Resolver()
export class NodesResolver {
  @Query(() => Node, {
    nullable: true,
    description: 'Whatever has this id; null where the account has nothing of it.',
  })
  async node(
    @Arg('id', () => ID, { description: 'As any field `id` gave it.' }) id: string,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<LoadedNode | null> {
    const [found = null] = await loadNodes(context, [id], info);
    return found;
  }

  @Query(() => [Node], {
    nullable: 'items',
    description: 'Whatever has these ids, in their order; null where the account has nothing of one.',
  })
  async nodes(
    @Arg('ids', () => [ID], { description: `Up to ${MAX_PAGE_SIZE}, as fields \`id\` gave them.` }) ids: string[],
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<readonly (LoadedNode | null)[]> {
    if (ids.length > MAX_PAGE_SIZE)
      throw new SluiceError('bad_user_input', {
        param: 'ids',
        values: { reason: `ids: must be ${MAX_PAGE_SIZE} at most` },
      });
    return loadNodes(context, ids, info);
  }
}
