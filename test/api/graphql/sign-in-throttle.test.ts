import { afterAll, beforeAll, expect, it } from 'vitest';
import { post } from '../../harness/graphql-client.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

afterAll(() => account.dispose());

const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { __typename ... on SignInFailure { code } } }';

async function signIn(password: string, network: string, cookie = '') {
  const headers = { 'x-forwarded-for': network, ...(cookie && { cookie }) };
  const { data, headers: told } = await post(
    account.url,
    { query, variables: { input: { email: account.email, password } } },
    headers,
  );
  const device = told.getSetCookie().find((each) => each.startsWith('sluice_device='));
  return { outcome: data?.signIn.code ?? data?.signIn.__typename, device };
}

/** Wrong guesses, until they are refused: each that is not refused doubles the wait, so that one comes to be. */
async function guessUntilRefused(network: string, cookie = ''): Promise<void> {
  let outcome: unknown;
  do outcome = (await signIn('a wrong guess', network, cookie)).outcome;
  while (outcome === 'invalid_credentials');
  expect(outcome).toBe('too_many_attempts');
}

it('lets a user sign in while others guess their password', async () => {
  const [own, strangers, shared] = ['198.51.100.1', '203.0.113.7', '192.0.2.9'];
  const { device = '' } = await signIn(account.password, own);
  expect(device).toMatch(/^sluice_device=[\w-]+; Max-Age=\d+; Path=\/graphql; .*HttpOnly; SameSite=Lax/);
  for (const network of [strangers, shared]) await guessUntilRefused(network);
  expect((await signIn(account.password, '198.51.100.200')).outcome).toBe('Session');
  expect((await signIn(account.password, shared, device.split(';')[0])).outcome).toBe('Session');
  await guessUntilRefused(own, device.split(';')[0]);
});
