import type { GraphQLResolveInfo } from 'graphql';
import { SluiceError } from '../../errors/index.ts';
import type { GraphqlContext } from '../operation/context.ts';
import type { ModelNodes } from '../models/model.nodes.ts';
import { toGlobalId, typeOfGlobalId } from '../relay/global-id.ts';
import type { NodeLoaders } from '../relay/node-loader.ts';
import type { LoadedNode } from '../relay/node.types.ts';

/** How nodes are loaded. Only the IDs of models are names. */
export interface NodeSources {
  readonly loaders: NodeLoaders;
  readonly models: ModelNodes;
}

/**
 * Loads nodes in the order of their IDs, with a constant number of statements per type. Null for an invalid ID, and for an object
 * that the caller's account does not have.
 */
export async function loadNodes(
  { loaders, models }: NodeSources,
  context: GraphqlContext,
  ids: readonly string[],
  info: GraphQLResolveInfo,
): Promise<readonly (LoadedNode | null)[]> {
  const types = new Map(ids.map((id) => [id, typeOfGlobalId(id)]));
  const byType = Map.groupBy(types.keys(), (id) => types.get(id)?.type ?? 'Model');
  const loaded = [...byType].map(async ([type, these]) => {
    if (type === 'Model') return models(context, these);
    const nodes = await loaders[type]?.(
      context,
      these.flatMap((id) => types.get(id)?.id ?? []),
      info,
    );
    return (nodes ?? []).map((node) => [node.id, node] as const);
  });
  const found = new Map((await Promise.all(loaded.map(unlessNotFound))).flat());
  return ids.map((id) => {
    const it = types.get(id);
    return found.get(it ? toGlobalId(it.type, it.id) : id) ?? null;
  });
}

async function unlessNotFound<T>(loading: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await loading;
  } catch (error) {
    if (error instanceof SluiceError && error.code === 'not_found') return [];
    throw error;
  }
}
