import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../harness/graphql-client.ts';
import { startMailbox, type Mailbox } from '../../harness/mailbox.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { newEmail } from '../../harness/shared-server.ts';

const password = 'correct horse battery';
const signUp = `mutation ($input: SignUpInput!) {
  signUp(input: $input) { __typename ... on SignUpPending { email } ... on SignUpFailure { code } }
}`;
const confirm = `mutation ($input: ConfirmSignUpInput!) {
  confirmSignUp(input: $input) { __typename ... on ConfirmSignUpFailure { code } }
}`;

describe('sign-up where mail can be sent', () => {
  let mailbox: Mailbox;
  let server: ServerProcess;

  beforeAll(async () => {
    mailbox = await startMailbox();
    // A client says where it comes from, as a proxy would: sign-ups are bounded by network.
    server = await startServer({ SMTP_URL: mailbox.url, SLUICE_SIGNUP: 'open', TRUST_PROXY_HOPS: '1' });
  });

  afterAll(async () => {
    await server.dispose();
    await mailbox.close();
  });

  async function ask(query: string, input: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = await post(server.url, { query, variables: { input } }, headers);
    const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
    return { ...answer, cookies };
  }

  const join = (email: string, from = '203.0.113.7', chosen = password) =>
    ask(signUp, { email, password: chosen, name: 'Guest' }, { 'x-forwarded-for': from });

  const named = (cookies: readonly string[], name: string): string =>
    cookies.find((cookie) => cookie.startsWith(name)) ?? '';

  it('returns the same result for registered and new addresses, and sends the difference by mail', async () => {
    const email = newEmail();
    const [fresh, known] = [await join(email), await join(server.email)];
    expect(fresh.data).toEqual({ signUp: { __typename: 'SignUpPending', email } });
    expect(known.data).toEqual({ signUp: { __typename: 'SignUpPending', email: server.email } });
    for (const { cookies } of [fresh, known])
      expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['sluice_sign_up']);
    const told = await mailbox.wait(server.email, 'You already have an account');
    expect(told.source).toContain(`${server.url}/sign-in`);
    expect(told.source).toContain(`${server.url}/forgot-password`);
    expect(await mailbox.token(server.email, 'You already have an account')).toBe('');
    expect((await mailbox.wait(email, 'Finish signing up')).source).toContain(`${server.url}/confirm-sign-up#token=`);
  });

  it('creates the user with the single-use link in the same browser', async () => {
    const email = newEmail();
    const { cookies } = await join(email);
    const cookie = named(cookies, 'sluice_sign_up');
    const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { ... on SignInFailure { code } } }';
    expect((await ask(signIn, { email, password })).data).toEqual({ signIn: { code: 'invalid_credentials' } });
    const token = await mailbox.token(email, 'Finish signing up');
    const confirmed = await ask(confirm, { token }, { cookie });
    expect(confirmed.data).toEqual({ confirmSignUp: { __typename: 'Session' } });
    const session = named(confirmed.cookies, 'sluice_session');
    const query = '{ viewer { user { email emailVerified } currentAccount { spendingRestriction isOperator } } }';
    expect((await post(server.url, { query }, { cookie: session })).data).toEqual({
      viewer: {
        user: { email, emailVerified: true },
        currentAccount: { spendingRestriction: null, isOperator: false },
      },
    });
    const log = '{ auditLog(first: 100) { nodes { action } } }';
    const told = JSON.stringify((await post(server.url, { query: log }, { cookie: session })).data);
    for (const action of ['user.signed_up', 'user.signed_in']) expect(told).toContain(action);
    const again = await ask(confirm, { token }, { cookie });
    expect(again.data?.confirmSignUp.code).toBe('invalid_token');
  });

  it('requires the password in another browser, so that nobody confirms a stranger’s account', async () => {
    const email = newEmail();
    await join(email);
    const other = named((await join(newEmail())).cookies, 'sluice_sign_up');
    const token = await mailbox.token(email, 'Finish signing up');
    const outcome = async (input: object, headers = {}) => {
      const { data } = await ask(confirm, { token, ...input }, headers);
      return data?.confirmSignUp.code ?? data?.confirmSignUp.__typename;
    };
    expect(await outcome({})).toBe('sign_up_password_required');
    expect(await outcome({}, { cookie: other })).toBe('sign_up_password_required');
    expect(await outcome({ password: 'another horse battery' })).toBe('invalid_credentials');
    expect(await outcome({ token: 'x'.repeat(43), password })).toBe('invalid_token');
    expect(await outcome({ password })).toBe('Session');
  });

  it('sends at most three messages per hour and address, and always returns the same result', async () => {
    const email = newEmail();
    for (const from of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5'])
      expect((await join(email, from)).data?.signUp.__typename).toBe('SignUpPending');
    const last = newEmail();
    await join(last);
    await mailbox.wait(last, 'Finish signing up');
    await mailbox.wait(email, 'Finish signing up', 3);
    expect(mailbox.received.filter(({ to }) => to === email)).toHaveLength(3);
  });

  it('rate-limits requests by network', async () => {
    const untilRefused = async (email: () => string) => {
      const codes: unknown[] = [];
      do codes.push((await join(email(), '198.51.100.9')).data?.signUp.code);
      while (codes.at(-1) === undefined);
      return codes;
    };
    const codes = await untilRefused(newEmail);
    expect(codes.slice(0, 20)).toEqual(Array(20).fill(undefined));
    expect(codes.at(-1)).toBe('too_many_attempts');
    expect((await untilRefused(() => server.email)).at(-1)).toBe('too_many_attempts');
  });

  it('reveals nothing about an address without an invitation for it', async () => {
    const invitation = 'x'.repeat(43);
    for (const email of [server.email, newEmail()]) {
      const { data } = await ask(signUp, { email, password, name: 'Guest', invitation });
      expect(data?.signUp).toEqual({ __typename: 'SignUpFailure', code: 'invitation_invalid' });
    }
  });
});
