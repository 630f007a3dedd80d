import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'A timestamp in RFC 3339 format: `2026-11-20T12:00:00.000Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time',
  serialize(value) {
    if (value instanceof Date) return value.toISOString();
    throw new GraphQLError('DateTime cannot represent this value');
  },
  parseValue: (value) => parse(value),
  parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : null),
});

function parse(value: unknown): Date {
  const time = typeof value === 'string' && RFC_3339.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw new GraphQLError('DateTime must be an RFC 3339 text, such as 2026-11-20T12:00:00Z');
  return new Date(time);
}
