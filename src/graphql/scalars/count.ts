import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

export const Count = new GraphQLScalarType<number, number>({
  name: 'Count',
  description: 'An integer from 0 to 2^53 - 1, encoded as a JSON number. `Int` is limited to 2^31 - 1.',
  serialize: (value) => counted(value),
  parseValue: (value) => counted(value),
  parseLiteral: (node) => counted(node.kind === Kind.INT ? Number(node.value) : null),
});

function counted(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new GraphQLError('Count must be a whole number from 0 to 2^53 - 1');
}
