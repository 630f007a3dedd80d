import { anything, array, constantFrom, integer, oneof, record, sample, string } from 'fast-check';

const SEED = 20_261_121;

const words = [
  '{',
  '}',
  '(',
  ')',
  '...',
  '@',
  '$a',
  ':',
  '!',
  '"',
  '"""',
  '[',
  ']',
  'query',
  'mutation',
  'subscription',
  'fragment',
  'on',
  'viewer',
  'apiKeys',
  'usageLogs',
  '__schema',
  '__proto__',
  'first',
  '-1',
  '1e309',
  'null',
  '\u0000',
  '\ud800',
  '\ufeff',
  'é',
  '#',
  ',',
];
const document = oneof(
  string(),
  array(constantFrom(...words), { maxLength: 60 }).map((all) => all.join(' ')),
);
const odd = oneof(
  anything({ withNullPrototype: false, maxDepth: 3 }),
  constantFrom(null, [], {}, 1e308, '__proto__', ''),
);
const requests = oneof(
  record(
    { query: oneof(document, odd), variables: odd, operationName: odd, extensions: odd, documentId: odd },
    { requiredKeys: [] },
  ),
  record({
    query: constantFrom(
      'query ($id: ID!) { node(id: $id) { id } }',
      'query ($id: Int, $after: Cursor) { usageLogs(first: $id, after: $after) { nodes { id } } }',
      'query ($id: DateTime!) { usage(range: { from: $id, to: $id }) { truncated } }',
      'mutation ($id: JSON!) { signOut }',
    ),
    variables: record({ id: odd, after: odd }),
  }),
  odd,
);
const bodies = oneof(
  requests.map((value) => toJson(value)),
  string(),
  integer({ min: 1, max: 50_000 }).map((depth) => '['.repeat(depth)),
  integer({ min: 1, max: 5_000 }).map((depth) => `{"query":"${'{a'.repeat(depth)}"}`),
  requests.map((value) => toJson(value).slice(0, -1)),
  constantFrom(
    '',
    'null',
    '{"query":"{__typename}","query":null}',
    '\ufeff{}',
    '{"query":"{ viewer { role } }","variables":{"__proto__":{"a":1}}}',
  ),
);

function toJson(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? String(member) : member)) ?? ''
    );
  } catch {
    return '{';
  }
}

/** Bodies of `POST /graphql`, most of them wrong; the same each time. */
export function malformedBodies(count: number): string[] {
  return sample(bodies, { numRuns: count, seed: SEED });
}
