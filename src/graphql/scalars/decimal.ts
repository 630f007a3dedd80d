import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

export const Decimal = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  description: 'An exact decimal number, encoded as a string: `0.000123`.',
  serialize(value) {
    if (typeof value === 'string') return value;
    throw new GraphQLError('Decimal cannot represent this value');
  },
  parseValue: (value) => parse(value),
  parseLiteral: (node) =>
    parse(node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT ? node.value : null),
});

function parse(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^-?\d{1,18}(\.\d{1,18})?$/.test(text))
    throw new GraphQLError('Decimal must be a decimal number, such as "12.50"');
  return text;
}
