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
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { LARGEST_PAGE, USUAL_PAGE } from '../relay/page.ts';

/** What is assumed of a list that is no page. */
const USUAL_LIST = 10;
const MUTATION_COST = 10;
/** What introspection gives is in memory: so many of its objects cost one point. */
const INTROSPECTED_PER_POINT = 500;
const introspectionTypes = new Map([
  ['__schema', '__Schema'],
  ['__type', '__Type'],
]);
/** Beyond it nothing is told apart. */
const MOST = Number.MAX_SAFE_INTEGER;

/**
 * What an operation can cost at most, in points, before anything is run. A field that gives objects costs one for each of
 * them, or what its `complexity` says, and all that is asked of them as often; a page holds as many as `first` or `last`
 * say. Scalars cost nothing, every field of a mutation ten more, and introspection a fraction of what it gives.
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
    const introspected = introspectionTypes.get(name);
    if (introspected !== undefined) return this.#introspection(node, this.#schema.getType(introspected));
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    if (!field) return 0;
    const { complexity } = field.extensions;
    const type = getNamedType(field.type);
    if (!isCompositeType(type) || !node.selectionSet) return typeof complexity === 'number' ? complexity : 0;
    const own = typeof complexity === 'number' ? complexity : 1;
    const within = this.of(node.selectionSet, type, this.#pageSize(field, node));
    return Math.min(MOST, this.#times(field, page, parent) * (own + within));
  }

  #introspection({ selectionSet }: FieldNode, type: GraphQLNamedType | undefined): number {
    const objects = isCompositeType(type) && selectionSet ? this.of(selectionSet, type, USUAL_LIST) : 0;
    return Math.ceil((objects + 1) / INTROSPECTED_PER_POINT);
  }

  /** How many objects a field gives. */
  #times(field: GraphQLField<unknown, unknown>, page: number, parent: GraphQLCompositeType): number {
    if (!isListType(getNullableType(field.type))) return 1;
    if (parent.name === '__Schema' && field.name === 'types') return Object.keys(this.#schema.getTypeMap()).length;
    return isPaged(parent) ? page : USUAL_LIST;
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
