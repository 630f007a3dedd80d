import { getIntrospectionQuery } from 'graphql';
import { createClient, type Client } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { post } from '../../../harness/graphql-client.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

let account: TestAccount;
let socket: Client;

beforeAll(async () => {
  account = await newAccount();
  socket = createClient({
    url: `${account.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${account.apiKey}` },
  });
});

afterAll(async () => {
  await socket.dispose();
  await account.dispose();
});

const owner = () => ({ authorization: `Bearer ${account.apiKey}` });

interface Told {
  readonly code: unknown;
  /** Of all errors. */
  readonly message: string;
  /** In the document: of the first error. */
  readonly line: number | undefined;
}

interface ToldError {
  readonly message: string;
  readonly locations?: readonly { readonly line: number }[] | undefined;
  readonly extensions?: Record<string, unknown> | undefined;
}

function told(errors: readonly ToldError[]): Told {
  const [first] = errors;
  const message = errors.map((each) => each.message).join('\n');
  return { code: first?.extensions?.code, message, line: first?.locations?.[0]?.line };
}

async function overHttp(query: string): Promise<Told> {
  const { errors, status } = await post(account.url, { query }, owner());
  expect(status).toBe(errors ? 400 : 200);
  return told(errors ?? []);
}

async function overSocket(query: string): Promise<Told> {
  try {
    for await (const { errors } of socket.iterate({ query })) return told(errors ?? []);
  } catch (errors) {
    if (!Array.isArray(errors)) throw errors;
    return told(errors);
  }
  throw new Error('the socket said nothing');
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Each fragment spreads the next one twice: two to the power of `count` fields. */
function bomb(count: number): string {
  const fragment = (n: number): string =>
    `fragment F${n} on ApiKey { a: budget { apiKey { ${n === count ? 'name' : `...F${n + 1}`} } } b: budget { apiKey { ${n === count ? 'name' : `...F${n + 1}`} } } }`;
  return `{ apiKeys { nodes { ...F0 } } } ${numbers(count + 1)
    .map(fragment)
    .join(' ')}`;
}

const schemaInBulk = `{ __schema { ${aliased('types { ...T }')} } }
  fragment T on __Type { ${aliased('fields { ...F }')} }
  fragment F on __Field { ${aliased('args { ...A }')} }
  fragment A on __InputValue { ${aliased('type { name }')} }`;

function aliased(field: string): string {
  return numbers(100)
    .map((n) => `a${n}: ${field}`)
    .join(' ');
}

const signIn = (alias: string): string =>
  `${alias}: signIn(input: { email: "owner@example.com", password: "guess ${alias}" }) { __typename }`;

const excessive: readonly (readonly [what: string, query: string, message: RegExp])[] = [
  [
    'too deep',
    `{ apiKeys { nodes ${'{ budget { apiKey '.repeat(6)} { name } ${'} }'.repeat(6)} } }`,
    /a depth of 15, and at most 12/,
  ],
  [
    'too deep by fragments',
    `{ apiKeys { nodes { ...F0 } } } ${numbers(8)
      .map((n) => `fragment F${n} on ApiKey { budget { apiKey { ${n === 7 ? 'name' : `...F${n + 1}`} } } }`)
      .join(' ')}`,
    /a depth of 19/,
  ],
  [
    'full of aliases',
    `{ viewer { user { ${numbers(31)
      .map((n) => `a${n}: name`)
      .join(' ')} } } }`,
    /31 aliases/,
  ],
  [
    'repeated at its root',
    `{ ${numbers(21)
      .map((n) => `a${n}: viewer { role }`)
      .join(' ')} }`,
    /21 fields at its root/,
  ],
  ['the schema, a billion times', schemaInBulk, /more than 1000000 aliases/],
  [
    'the whole schema behind few aliases',
    `{ __schema { types { ${numbers(30)
      .map((n) => `a${n}: fields { args { type { ofType { ofType { name } } } } type { ofType { ofType { name } } } }`)
      .join(' ')} } } }`,
    /a cost of \d+ points/,
  ],
  ['a bomb of fragments', bomb(30), /more than 1000000 aliases/],
  [
    'a hundred sign-ins',
    `mutation { ${numbers(100)
      .map((n) => signIn(`a${n}`))
      .join(' ')} }`,
    /100 times `signIn`/,
  ],
  ['two sign-ins', `mutation { ${signIn('a')} ${signIn('b')} }`, /2 times `signIn`/],
  [
    'two sign-ins behind a fragment',
    `mutation { ...F ${signIn('b')} } fragment F on Mutation { ${signIn('a')} }`,
    /2 times `signIn`/,
  ],
  [
    'overloaded with directives',
    `{ viewer { user { ${'name @include(if: true) '.repeat(60)} } } }`,
    /more directives, and at most 50/,
  ],
  [
    'too costly',
    '{ usageLogs(first: 100) { nodes { apiKey { budget { apiKey { name } } } explanation { amount { amount } } attempts { model } units { unit } tags { name } } edges { node { explanation { amount { amount } } attempts { model } } } } }',
    /a cost of \d+ points, and at most 5000/,
  ],
];

describe.each([
  ['HTTP', overHttp],
  ['WebSocket', overSocket],
] as const)('over %s', (_transport, ask) => {
  it.each(excessive)('rejects an operation that is %s', async (_what, query, message) => {
    const answer = await ask(query);
    expect(answer).toMatchObject({ code: 'operation_too_large', message: expect.stringMatching(message), line: 1 });
  });

  it('rejects cyclic fragments', async () => {
    const answer = await ask('{ viewer { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...A }');
    expect(answer).toMatchObject({
      code: 'graphql_invalid',
      message: expect.stringContaining('Cannot spread fragment'),
    });
  });

  it('rejects too many tokens before parsing', async () => {
    const answer = await ask(`{ ${'a '.repeat(500_000)}}`);
    expect(answer).toMatchObject({ code: 'graphql_invalid', message: expect.stringContaining('5000 tokens') });
  });

  it('accepts ordinary operations', async () => {
    expect((await ask(getIntrospectionQuery())).message).toBe('');
    const everything = { schemaDescription: true, specifiedByUrl: true, inputValueDeprecation: true, oneOf: true };
    expect((await ask(getIntrospectionQuery({ ...everything, directiveIsRepeatable: true }))).message).toBe('');
    expect(
      (await ask('{ usageLogs(first: 100) { nodes { model apiKey { name } explanation { label } } } }')).message,
    ).toBe('');
    const keys = `{ viewer { user { email } } apiKeys(first: 50) { nodes {
      name usage(range: { from: "2026-10-01T00:00:00Z", to: "2026-10-31T00:00:00Z" }, interval: DAY) { total { requests } groups { start usage { requests cost { amount } } } }
      usageLogs(first: 5) { nodes { id createdAt cost { amount } } }
    } } }`;
    expect((await ask(keys)).message).toBe('');
  });

  it('visits fragments once that spread each other exponentially', async () => {
    const fragment = (n: number): string =>
      `fragment F${n} on UsageReport { ${n === 30 ? 'timeZone' : `...F${n + 1} ...F${n + 1}`} }`;
    const range = '{ from: "2026-10-01T00:00:00Z", to: "2026-10-02T00:00:00Z" }';
    const query = `{ usage(range: ${range}) { ...F0 } } ${numbers(31).map(fragment).join(' ')}`;
    expect((await ask(query)).message).toBe('');
  });

  it('keeps the connection open after an invalid document', async () => {
    expect((await ask('{ viewer {')).code).toBe('graphql_invalid');
    expect((await ask('query A { viewer { role } } query B { viewer { role } }')).code).toBe('graphql_invalid');
    expect((await ask('{ viewer { role } }')).message).toBe('');
  });
});

describe('a million tokens', () => {
  it('are rejected as a body that is too large', async () => {
    const { status, code } = await post(account.url, { query: `{ ${'a '.repeat(1_000_000)}}` }, owner());
    expect([status, code]).toEqual([413, 'request_too_large']);
  });
});

describe('what an operation costs', () => {
  const query =
    'query ($first: Int) { apiKeys(first: $first) { nodes { budget { amount { amount } } } pageInfo { endCursor } } }';

  it.each([
    [{}, 1 + 25 * 3 + 1],
    [{ first: 3 }, 1 + 3 * 3 + 1],
    [{ first: 100 }, 1 + 100 * 3 + 1],
  ])('is told to who asks for it: %j', async (variables, requested) => {
    const byHeader = await post(account.url, { query, variables }, { ...owner(), 'x-sluice-query-cost': '1' });
    expect(byHeader.extensions?.cost).toMatchObject({ requested, limit: 5_000, perMinute: 100_000 });
    const byExtension = await post(account.url, { query, variables, extensions: { cost: true } }, owner());
    expect(byExtension.extensions?.cost.requested).toBe(requested);
    expect(byExtension.extensions?.cost.remaining).toBeLessThan(100_000);
    const { value } = await socket.iterate({ query, variables, extensions: { cost: true } }).next();
    expect(value).toMatchObject({ extensions: { cost: { requested } } });
  });

  const month = 'range: { from: "2026-10-01T00:00:00Z", to: "2026-10-31T00:00:00Z" }';

  it.each([
    ['{ apiKeys(first: null, last: 100) { nodes { budget { period } } } }', 1 + 100 * 2],
    [`{ nodes(ids: [${numbers(70).map((n) => `"${n}"`)}]) { id } }`, 70],
    ['{ compareModels(ids: ["a/a", "b/b", "c/c"], days: 366) { cheapest } }', 3 * 10],
    ['{ compareModels(ids: ["a/a", "b/b", "c/c"]) { models { cost { amount } } } }', 3 * 10 + 3 * 2],
    [`{ usage(${month}, groupBy: [MODEL], limit: 10000) { groups { usage { requests } } } }`, 50 + 1_000 * 2],
    [`{ usage(${month}, groupBy: [MODEL]) { groups { usage { requests } } } }`, 50 + 100 * 2],
    [`{ usage(${month}, interval: DAY) { groups { usage { requests } } } }`, 50 + 4 * 2],
    [`{ apiKeys(first: 1) { nodes { usage(${month}, interval: HOUR) { groups { start } } } } }`, 1 + 1 + 1 + 73],
  ])('is by how much an argument asks for: %s', async (asked, requested) => {
    const { extensions } = await post(account.url, { query: asked, extensions: { cost: true } }, owner());
    expect(extensions?.cost.requested).toBe(requested);
  });

  it('is reported only to the caller', async () => {
    expect((await post(account.url, { query }, owner())).extensions).toBeUndefined();
  });
});
