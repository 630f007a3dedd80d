import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { GraphqlContext } from '../context.ts';
import { loadNode } from './node-loaders.ts';
import { Node, type LoadedNode } from './node.types.ts';
import { LARGEST_PAGE } from './page.ts';

/** Each type asks its caller for what its own fields ask for. */
@Resolver()
export class NodesResolver {
  @Query(() => Node, {
    nullable: true,
    description: 'Whatever has this id; null where the account has nothing of it.',
  })
  node(
    @Arg('id', () => ID, { description: 'As any field `id` gave it.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<LoadedNode | null> {
    return loadNode(context, id);
  }

  @Query(() => [Node], {
    nullable: 'items',
    description: 'Whatever has these ids, in their order; null where the account has nothing of one.',
    complexity: LARGEST_PAGE / 10,
  })
  nodes(
    @Arg('ids', () => [ID], { description: `Up to ${LARGEST_PAGE}, as fields \`id\` gave them.` }) ids: string[],
    @Ctx() context: GraphqlContext,
  ): Promise<(LoadedNode | null)[]> {
    if (ids.length > LARGEST_PAGE)
      throw new SluiceError('bad_user_input', {
        param: 'ids',
        values: { reason: `ids: must be ${LARGEST_PAGE} at most` },
      });
    return Promise.all(ids.map((id) => loadNode(context, id)));
  }
}
