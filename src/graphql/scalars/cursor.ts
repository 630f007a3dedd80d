import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

/** No valid cursor is longer. */
const MAX_CHARACTERS = 1_000;

export const Cursor = new GraphQLScalarType<string, string>({
  name: 'Cursor',
  description: 'An opaque position in a list or a stream. Pass it back as `after` or `before`.',
  serialize(value) {
    if (typeof value === 'string') return value;
    throw new GraphQLError('Cursor cannot represent this value');
  },
  parseValue: (value) => parse(value),
  parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : null),
});

function parse(value: unknown): string {
  if (typeof value === 'string' && value.length <= MAX_CHARACTERS) return value;
  throw new GraphQLError(`Cursor must be a text of at most ${MAX_CHARACTERS} characters`);
}
