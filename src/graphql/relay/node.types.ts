import { Field, ID, InterfaceType } from 'type-graphql';
import type { NodeType } from './global-id.ts';

/** The names of types that are not those of their ids. */
type NodeTypename = Exclude<NodeType, 'Budget'> | 'BudgetStatus';

/** A node, with the name of its type. */
export interface LoadedNode {
  readonly id: string;
  readonly __typename: NodeTypename;
}

@InterfaceType({
  description: 'An object with a global ID. `node` fetches it by that ID.',
  resolveType: (value: LoadedNode) => value.__typename,
})
export abstract class Node {
  @Field(() => ID, { description: 'Opaque ID, unique across all types.' })
  id!: string;
}
