import type { GraphQLResolveInfo } from 'graphql';
import type { GraphqlContext } from '../operation/context.ts';
import type { NodeType } from './global-id.ts';
import type { LoadedNode } from './node.types.ts';

/**
 * Loads nodes by the local part of their IDs, in any order. Requires the same permission as the type's own field, and omits
 * nodes that the caller's account does not have.
 * @throws SluiceError as the type's own field does
 */
export type NodeLoader = (
  context: GraphqlContext,
  ids: readonly string[],
  info: GraphQLResolveInfo,
) => Promise<readonly LoadedNode[]>;

/** A type without a loader cannot be fetched by ID. */
export type NodeLoaders = Readonly<Partial<Record<NodeType, NodeLoader>>>;

export function withTypename<T extends { readonly id: string }, Name extends LoadedNode['__typename']>(
  typename: Name,
  node: T,
): T & { readonly __typename: Name } {
  return Object.assign(node, { __typename: typename });
}

export function rowsWithIds<T extends { readonly id: string }>(
  ids: readonly string[],
  rows: readonly T[],
): readonly T[] {
  return rows.filter((row) => ids.includes(row.id));
}
