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

it('lets nobody be locked out by the guesses of strangers', async () => {
  const [own, strangers, shared] = ['198.51.100.1', '203.0.113.7', '192.0.2.9'];
  const { device = '' } = await signIn(account.password, own);
  expect(device).toMatch(/^sluice_device=[\w-]+; Max-Age=\d+; Path=\/graphql; .*HttpOnly; SameSite=Lax/);
  for (const network of [strangers, shared]) {
    const outcomes: unknown[] = [];
    while (outcomes.at(-1) !== 'too_many_attempts' && outcomes.length < 20)
      outcomes.push((await signIn('a wrong guess', network)).outcome);
    expect(outcomes.at(-1)).toBe('too_many_attempts');
  }
  // The right password is a guess as well, where only guesses came from.
  expect((await signIn(account.password, strangers)).outcome).toBe('too_many_attempts');
  // Elsewhere, and where they signed in before whoever else is in that network, they come in.
  expect((await signIn(account.password, '198.51.100.200')).outcome).toBe('Session');
  expect((await signIn(account.password, shared, device.split(';')[0])).outcome).toBe('Session');
  // The device is counted too, and is of nobody else.
  const guesses: unknown[] = [];
  for (let guess = 0; guess < 8; guess++)
    guesses.push((await signIn('a wrong guess', own, device.split(';')[0])).outcome);
  expect(guesses.at(-1)).toBe('too_many_attempts');
  expect((await signIn(account.password, shared, 'sluice_device=made-up')).outcome).toBe('too_many_attempts');
});
