import { afterAll, beforeAll, expect, it } from 'vitest';
import { post } from '../../harness/graphql-client.ts';
import { newEmail } from '../../harness/shared-server.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

const query = 'mutation ($input: SignUpInput!) { signUp(input: $input) { __typename ... on SignUpFailure { code } } }';

let server: ServerProcess;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.dispose());

async function signUp(email: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const input = { email, password: 'correct horse battery', name: 'Guest' };
  const { data } = await post(server.url, { query, variables: { input } }, headers);
  return data?.signUp.code ?? data?.signUp.__typename;
}

it('does not reveal registered addresses to remote clients when no mail can be sent', async () => {
  const elsewhere = { 'x-forwarded-for': '203.0.113.7' };
  expect(await signUp(server.email, elsewhere)).toBe('sign_up_not_local');
  expect(await signUp(newEmail(), elsewhere)).toBe('sign_up_not_local');
  expect(await signUp(newEmail())).toBe('Session');
  expect(await signUp(server.email)).toBe('email_taken');
});
