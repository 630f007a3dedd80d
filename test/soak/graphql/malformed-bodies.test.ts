import { Agent, request } from 'node:http';
import { anything, array, constantFrom, integer, oneof, record, sample, string } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

const BODIES = 10_000;
const AT_ONCE = 20;

let server: ServerProcess;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

beforeAll(async () => {
  server = await startServer();
});

afterAll(async () => {
  agent.destroy();
  await server.dispose();
});

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

function statusOf(body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(
      `${server.url}/graphql`,
      {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${server.apiKey}` },
      },
      (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      },
    )
      .once('error', reject)
      .end(body);
  });
}

describe('malformed bodies', () => {
  it(`of ${BODIES} kinds are the caller’s fault, and never the server’s`, async () => {
    const all = sample(bodies, { numRuns: BODIES, seed: 20_261_121 });
    const faults: string[] = [];
    const statuses = new Map<number, number>();
    const next = all.values();
    const work = async (): Promise<void> => {
      for (const body of next) {
        const status = await statusOf(body).catch(() => 0);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 0 || status >= 500) faults.push(`${status} ${body.slice(0, 200)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(faults).toEqual([]);
    expect(statuses.get(400)).toBeGreaterThan(BODIES / 2);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(server.output()).not.toContain('a GraphQL operation failed');
  });
});
