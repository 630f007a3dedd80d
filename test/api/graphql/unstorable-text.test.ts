import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../harness/graphql-client.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

let server: ServerProcess;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.dispose());

const canary = 'canary-of-a-caller';
const email = `${canary}\0@example.com`;
const password = 'correct horse battery';

describe('text with a NUL', () => {
  it.each([
    [
      'an address to sign in with',
      'mutation ($v: String!) { signIn(input: { email: $v, password: "x" }) { __typename } }',
    ],
    ['an address that forgot its password', 'mutation ($v: String!) { requestPasswordReset(email: $v) }'],
    ['a filter of usage', 'query ($v: String!) { usageLogs(filter: { model: $v }) { edges { node { id } } } }'],
    ['a request’s id', 'query ($v: String!) { usageLogs(filter: { requestId: $v }) { edges { node { id } } } }'],
    [
      'a name',
      `mutation ($v: String!) { signUp(input: { email: "nul@example.com", password: "${password}", name: $v }) { __typename } }`,
    ],
    ['a key’s name', 'mutation ($v: String!) { createApiKey(input: { name: $v }) { secret } }'],
    [
      'an address to invite',
      'mutation ($v: String!) { inviteMember(input: { email: $v, role: VIEWER }) { __typename } }',
    ],
  ])('returns a client error in %s, and is not logged', async (_what, query) => {
    const headers = { authorization: `Bearer ${server.apiKey}` };
    const { errors = [], data } = await post(server.url, { query, variables: { v: email } }, headers);
    expect(errors.map(({ extensions }) => extensions.code)).not.toContain('internal_error');
    expect(errors.length + Object.keys(data ?? {}).length).toBeGreaterThan(0);
    expect(server.output()).not.toContain(canary);
  });
});
