import { Field, ID, InterfaceType } from 'type-graphql';
import type { NodeType } from './global-id.ts';

/** Type names in the schema, where they differ from those in IDs. */
type NodeTypename = Exclude<NodeType, 'Budget'> | 'BudgetStatus';

/** A node with its type name. */
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
