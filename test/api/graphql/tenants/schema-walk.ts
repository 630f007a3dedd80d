import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  isRequiredArgument,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { UNKNOWN_CURSOR } from './tenant.ts';

export type OperationKind = 'query' | 'mutation' | 'subscription';

export interface Operation {
  readonly kind: OperationKind;
  readonly field: GraphQLField<unknown, unknown>;
}

/** One place among an operation's arguments where an id stands: `['input', 'id']`. */
export interface IdPlace {
  readonly operation: Operation;
  readonly path: readonly string[];
}

const DEPTH = 3;
/** What generated values would not do for, by the argument's or the input field's name. */
const valuesByName: Readonly<Record<string, unknown>> = {
  model: 'sandbox/chat',
  after: UNKNOWN_CURSOR,
  messages: [{ role: 'user', content: 'Hello' }],
  clientRequestId: 'a request of this test',
  url: 'https://example.com/hook',
  from: '2026-01-01T00:00:00Z',
  to: '2026-12-31T00:00:00Z',
  amount: '5',
  email: 'nobody@example.com',
  scopes: ['INFERENCE'],
};

const valuesByType: Readonly<Record<string, unknown>> = {
  String: 'some text',
  Int: 1,
  Float: 1,
  Boolean: true,
  DateTime: '2030-01-01T00:00:00Z',
  Decimal: '1',
  JSON: {},
  ID: 'none',
};

export function operationsOf(schema: GraphQLSchema): Operation[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  return roots.flatMap(([kind, type]) => Object.values(type?.getFields() ?? {}).map((field) => ({ kind, field })));
}

/** Every place for an id: of the type ID, or named as one, or a cursor, which is made of one. */
export function idPlaces(operation: Operation): IdPlace[] {
  const within = (
    name: string,
    type: GraphQLInputType,
    before: readonly string[],
    seen: readonly string[],
  ): IdPlace[] => {
    const path = [...before, name];
    const named = getNamedType(type);
    if (isInputObjectType(named))
      return seen.includes(named.name)
        ? []
        : Object.values(named.getFields()).flatMap((field) =>
            within(field.name, field.type, path, [...seen, named.name]),
          );
    const isId = named.name === 'ID' || (named.name === 'String' && /(^id|Ids?|^after|^before)$/.test(name));
    return isId ? [{ operation, path }] : [];
  };
  return operation.field.args.flatMap(({ name, type }) => within(name, type, [], []));
}

/** Whether a field can be asked for with nothing but generated values: no id, and no token, which is a secret of its own. */
export function needsNoId(operation: Operation): boolean {
  if (operation.field.args.some(({ name }) => name === 'token')) return false;
  return idPlaces(operation).every(({ path }) => {
    const [first] = path;
    const argument = operation.field.args.find(({ name }) => name === first);
    return argument === undefined || !isRequiredArgument(argument);
  });
}

/** An operation with its required arguments, and an id at one place. */
export function documentOf(
  { kind, field }: Operation,
  id?: { readonly path: readonly string[]; readonly value: string },
): { query: string; variables: Record<string, unknown> } {
  // One that needs nothing waits for what happens: a gap tells that it has begun.
  const isWaiting = kind === 'subscription' && !field.args.some(isRequiredArgument);
  const given = field.args.filter(
    (argument) =>
      isRequiredArgument(argument) || argument.name === id?.path[0] || (isWaiting && argument.name === 'after'),
  );
  const variables = Object.fromEntries(given.map((argument) => [argument.name, valueOf(argument, id, 0)]));
  const declared = given.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ');
  const selection = selectionOf(field.type, DEPTH);
  const query = `${kind}${declared && ` (${declared})`} { ${field.name}${passed && `(${passed})`} ${selection} }`;
  return { query, variables };
}

type Named = Pick<GraphQLArgument, 'name' | 'type'>;
type Filled = { readonly path: readonly string[]; readonly value: string } | undefined;

function valueOf({ name, type }: Named, id: Filled, depth: number): unknown {
  const named = getNamedType(type);
  const onPath = id !== undefined && id.path[depth] === name;
  const whole = (value: unknown): unknown => (isListType(isNonNullType(type) ? type.ofType : type) ? [value] : value);
  if (onPath && depth === id.path.length - 1) return whole(id.value);
  if (isInputObjectType(named)) {
    const fields = Object.values(named.getFields()).filter(
      (field) => isNonNullType(field.type) || (onPath && id.path[depth + 1] === field.name),
    );
    const members = fields.map((field) => [field.name, valueOf(field, onPath ? id : undefined, depth + 1)] as const);
    return whole(Object.fromEntries(members));
  }
  if (name in valuesByName) return valuesByName[name];
  if (isEnumType(named)) return whole(named.getValues()[0]?.name);
  if (!(named.name in valuesByType)) throw new Error(`Say in valuesByType what a ${named.name} may be.`);
  return whole(valuesByType[named.name]);
}

/** All that can be asked for without arguments, so deep. */
function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isUnionType(named))
    return `{ __typename ${named
      .getTypes()
      .map((member, at) => `... on ${member.name} ${aliased(selectionOf(member, depth), at)}`)
      .join(' ')} }`;
  if (isInterfaceType(named)) return '{ __typename id }';
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
  const parts = fields.flatMap((field) => {
    const inner = getNamedType(field.type);
    if (!isObjectType(inner) && !isUnionType(inner) && !isInterfaceType(inner)) return [field.name];
    return depth === 0 ? [] : [`${field.name} ${selectionOf(field.type, depth - 1)}`];
  });
  return `{ __typename ${parts.join(' ')} }`;
}

/** Members of a union may have fields of one name and several types. */
function aliased(selection: string, at: number): string {
  return selection.replace(/^\{ __typename (.*) \}$/s, (_whole, inner: string) => {
    let level = 0;
    const words = inner.split(' ').map((word) => {
      if (word === '{') level++;
      else if (word === '}') level--;
      else if (level === 0 && word !== '') return `m${at}_${word}: ${word}`;
      return word;
    });
    return `{ __typename ${words.join(' ')} }`;
  });
}
