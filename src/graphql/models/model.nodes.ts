import type { ModelDirectory } from '../../gateway/keys/model-directory.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { withTypename } from '../relay/node-loader.ts';
import type { LoadedNode } from '../relay/node.types.ts';
import { toModel, visibleTo } from './model.mapping.ts';

/** Models by the requested ID, which may be a bare name or an alias. */
export type ModelNodes = (
  context: GraphqlContext,
  ids: readonly string[],
) => Promise<readonly (readonly [id: string, node: LoadedNode])[]>;

/** A model's ID is its name, which contains a slash and therefore is no other type's ID. */
export function modelNodes(models: Pick<ModelDirectory, 'ready' | 'find'>): ModelNodes {
  return async (context, ids) => {
    const caller = await context.require('account.read');
    await models.ready(caller.accountId);
    const isVisible = visibleTo(caller);
    return ids.flatMap((id) => {
      const model = id.includes('/') ? models.find(id, caller.accountId) : undefined;
      return model && isVisible(model) ? [[id, withTypename('Model', toModel(model))] as const] : [];
    });
  };
}
