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
  valueFromASTUntyped,
} from 'graphql';
import { idsIn, listSizeOf, type ArgumentValues } from './list-size.ts';

/** Assumed length of a list that is not paginated. */
const DEFAULT_LIST_SIZE = 10;
const MUTATION_COST = 10;
/** Introspection reads from memory: this many objects cost one point. */
const INTROSPECTED_PER_POINT = 500;
const introspectionTypes = new Map([
  ['__schema', '__Schema'],
  ['__type', '__Type'],
]);
const MAX_COST = Number.MAX_SAFE_INTEGER;

/**
 * The maximum cost of an operation in points, computed before execution. A field that returns objects costs one point, or its
 * `complexity`, per object, plus the cost of its selection per object. The number of objects is derived from the arguments where
 * possible. Scalars cost nothing, each mutation field costs ten more, and introspection costs a fraction.
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
  const measured = new Measure(schema, document, operation, variables).of(
    operation.selectionSet,
    type,
    DEFAULT_LIST_SIZE,
  );
  return Math.max(1, Math.min(MAX_COST, fields + measured));
}

class Measure {
  readonly #schema: GraphQLSchema;
  readonly #variables: Record<string, unknown>;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Costs of fragments by name and page size: fragments can spread each other exponentially often. */
  readonly #cache = new Map<string, number>();

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ) {
    this.#schema = schema;
    this.#variables = withDefaults(operation, variables);
    this.#fragments = new Map(
      document.definitions.flatMap((each) =>
        each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
      ),
    );
  }

  /** @param page assumed length of its lists */
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
    return Math.min(cost, MAX_COST);
  }

  #fragment(name: string, page: number): number {
    const key = `${name} ${page}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    this.#cache.set(key, 0);
    const fragment = this.#fragments.get(name);
    const type = fragment && this.#schema.getType(fragment.typeCondition.name.value);
    const cost = fragment && isCompositeType(type) ? this.of(fragment.selectionSet, type, page) : 0;
    this.#cache.set(key, cost);
    return cost;
  }

  #field(node: FieldNode, parent: GraphQLCompositeType, page: number): number {
    const name = node.name.value;
    const introspected = introspectionTypes.get(name);
    if (introspected !== undefined) return this.#introspection(node, this.#schema.getType(introspected));
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    if (!field) return 0;
    const complexity = typeof field.extensions.complexity === 'number' ? field.extensions.complexity : null;
    const type = getNamedType(field.type);
    if (!isCompositeType(type) || !node.selectionSet) return complexity ?? 0;
    const argumentNames = new Set(field.args.map((arg) => arg.name));
    const given = argumentNames.size === 0 ? {} : this.#argumentsOf(node);
    const size = listSizeOf(argumentNames, given);
    const own = complexity ?? 1;
    if (isListType(getNullableType(field.type))) {
      const times = this.#isAllTypes(field, parent) ? Object.keys(this.#schema.getTypeMap()).length : (size ?? page);
      return Math.min(MAX_COST, times * (own + this.of(node.selectionSet, type, DEFAULT_LIST_SIZE)));
    }
    const times = argumentNames.has('ids') ? idsIn(given) : 1;
    return Math.min(MAX_COST, times * own + this.of(node.selectionSet, type, size ?? DEFAULT_LIST_SIZE));
  }

  #introspection({ selectionSet }: FieldNode, type: GraphQLNamedType | undefined): number {
    const objects = isCompositeType(type) && selectionSet ? this.of(selectionSet, type, DEFAULT_LIST_SIZE) : 0;
    return Math.ceil((objects + 1) / INTROSPECTED_PER_POINT);
  }

  #isAllTypes({ name }: GraphQLField<unknown, unknown>, parent: GraphQLCompositeType): boolean {
    return parent.name === '__Schema' && name === 'types';
  }

  #argumentsOf(node: FieldNode): ArgumentValues {
    return Object.fromEntries(
      (node.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, this.#variables)]),
    );
  }
}

/** The variables with the operation's defaults. */
function withDefaults(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
  );
  return { ...Object.fromEntries(defaults), ...given };
}
