import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { LARGEST_PAGE, USUAL_PAGE } from '../relay/page.ts';

/** What is assumed of a list that is no page. */
const USUAL_LIST = 10;
const MUTATION_COST = 10;
/** The whole schema, however much of it is asked for: it is bounded, and in memory. */
const INTROSPECTION_COST = 50;
/** Beyond it nothing is told apart. */
const MOST = Number.MAX_SAFE_INTEGER;

/**
 * What an operation can cost at most, in points, before anything is run. A field that gives objects costs one for each of
 * them, or what its `complexity` says, and all that is asked of them as often; a page holds as many as `first` or `last`
 * say. Scalars cost nothing, and every field of a mutation ten more.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const type = schema.getRootType(operation.operation);
  if (!type) return 1;
  const fields = operation.operation === 'mutation' ? operation.selectionSet.selections.length * MUTATION_COST : 0;
  const measured = new Measure(schema, document, operation, variables).of(operation.selectionSet, type, 1);
  return Math.max(1, Math.min(MOST, fields + measured));
}

class Measure {
  readonly #schema: GraphQLSchema;
  readonly #operation: OperationDefinitionNode;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Of fragments, by name and page: they may spread each other a billion times. */
  readonly #known = new Map<string, number>();

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ) {
    this.#schema = schema;
    this.#operation = operation;
    this.#variables = variables;
    this.#fragments = new Map(
      document.definitions.flatMap((each) =>
        each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
      ),
    );
  }

  /** @param page how many the lists of a connection hold */
  of({ selections }: SelectionSetNode, type: GraphQLCompositeType, page: number): number {
    let cost = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) cost += this.#field(selection, type, page);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) cost += this.#fragment(selection.name.value, page);
      else {
        const narrowed = selection.typeCondition && this.#schema.getType(selection.typeCondition.name.value);
        cost += this.of(selection.selectionSet, isCompositeType(narrowed) ? narrowed : type, page);
      }
    }
    return Math.min(cost, MOST);
  }

  #fragment(name: string, page: number): number {
    const place = `${name} ${page}`;
    const known = this.#known.get(place);
    if (known !== undefined) return known;
    this.#known.set(place, 0);
    const fragment = this.#fragments.get(name);
    const type = fragment && this.#schema.getType(fragment.typeCondition.name.value);
    const cost = fragment && isCompositeType(type) ? this.of(fragment.selectionSet, type, page) : 0;
    this.#known.set(place, cost);
    return cost;
  }

  #field(node: FieldNode, parent: GraphQLCompositeType, page: number): number {
    const name = node.name.value;
    if (name === '__schema' || name === '__type') return INTROSPECTION_COST;
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    if (!field) return 0;
    const { complexity } = field.extensions;
    const type = getNamedType(field.type);
    if (!isCompositeType(type) || !node.selectionSet) return typeof complexity === 'number' ? complexity : 0;
    const own = typeof complexity === 'number' ? complexity : 1;
    const within = this.of(node.selectionSet, type, this.#pageSize(field, node));
    return Math.min(MOST, this.#times(field, page, isPaged(parent)) * (own + within));
  }

  /** How many objects a field gives. */
  #times(field: GraphQLField<unknown, unknown>, page: number, inConnection: boolean): number {
    if (!isListType(getNullableType(field.type))) return 1;
    return inConnection ? page : USUAL_LIST;
  }

  #pageSize(field: GraphQLField<unknown, unknown>, node: FieldNode): number {
    if (!field.args.some(({ name }) => name === 'first')) return USUAL_LIST;
    const given = node.arguments?.find(({ name }) => name.value === 'first' || name.value === 'last');
    const size = given ? this.#number(given.value) : null;
    // What is out of bounds is refused by the field itself.
    return Math.min(LARGEST_PAGE, Math.max(1, size ?? USUAL_PAGE));
  }

  #number(value: ValueNode): number | null {
    if (value.kind === Kind.INT) return Number(value.value);
    if (value.kind !== Kind.VARIABLE) return null;
    const name = value.name.value;
    const given = this.#variables[name];
    if (typeof given === 'number') return given;
    const defined = this.#operation.variableDefinitions?.find(({ variable }) => variable.name.value === name);
    return defined?.defaultValue?.kind === Kind.INT ? Number(defined.defaultValue.value) : null;
  }
}

function isPaged(type: GraphQLCompositeType): boolean {
  return isObjectType(type) && type.getFields().pageInfo !== undefined;
}
