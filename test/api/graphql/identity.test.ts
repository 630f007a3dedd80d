import { once } from 'node:events';
import { TOTP, Secret } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { mailFolder, type ReadMail } from '../../harness/mailbox.ts';
import { queryRunning, sqlText } from '../../harness/running-database.ts';
import { newAccount, newEmail, signUp as signUpAt, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }) })).optional(),
});

const user = 'email name emailVerified pendingEmail totpEnabled hasPassword identities { id provider }';
const signIn = `mutation ($input: SignInInput!) { signIn(input: $input) { __typename ... on SignInFailure { code } } }`;
const reset = `mutation ($input: ResetPasswordInput!) {
  resetPassword(input: $input) { __typename ... on ResetPasswordFailure { code message } }
}`;
const verify = `mutation ($token: String!) {
  verifyEmail(token: $token) { ... on VerifiedEmail { email } ... on VerifyEmailFailure { code } }
}`;
const password = 'correct horse battery';

describe('identity through GraphQL', () => {
  let account: TestAccount;
  let mailbox: ReadMail;

  beforeAll(async () => {
    account = await newAccount();
    mailbox = mailFolder(account.dataDir);
  });

  afterAll(() => account.dispose());

  async function ask(cookie: string, query: string, variables: object = {}, headers: Record<string, string> = {}) {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(cookie && { cookie }), ...headers },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = answerSchema.parse(await response.json());
    const session = response.headers.getSetCookie().find((each) => each.startsWith('sluice_session='));
    return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null, cookie: session?.split(';')[0] ?? '' };
  }

  async function signUp(): Promise<{ email: string; cookie: string }> {
    const { email, cookie } = await signUpAt(account.url, { name: 'Ada' });
    return { email, cookie };
  }

  async function verified(): Promise<{ email: string; cookie: string }> {
    const person = await signUp();
    const token = await mailbox.token(person.email, 'Confirm');
    expect((await ask(person.cookie, verify, { token })).data.verifyEmail).toEqual({ email: person.email });
    return person;
  }

  async function withTotp() {
    const person = await verified();
    const started = await ask(
      person.cookie,
      'mutation ($p: String!) { startTotp(password: $p) { ... on TotpSetup { secret uri } } }',
      {
        p: password,
      },
    );
    const { secret, uri } = started.data.startTotp;
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const code = totp.generate();
    const confirmed = await ask(
      person.cookie,
      'mutation ($code: String!) { confirmTotp(code: $code) { ... on RecoveryCodes { codes } ... on ConfirmTotpFailure { code } } }',
      { code },
    );
    return {
      ...person,
      uri,
      confirmed: code,
      totp,
      codes: z.array(z.string()).parse(confirmed.data.confirmTotp.codes),
    };
  }

  const me = async (cookie: string) => (await ask(cookie, `{ viewer { user { ${user} } } }`)).data.viewer?.user;

  it('sends a single-use verification link at sign-up', async () => {
    const { email, cookie } = await signUp();
    expect(await me(cookie)).toMatchObject({ email, emailVerified: false, pendingEmail: null, hasPassword: true });
    const mail = await mailbox.wait(email, 'Confirm your e-mail address');
    expect(mail.source).toContain(`${account.url}/verify-email#token=`);
    expect(mail.source).toContain('Content-Type: text/html');
    expect(mail.source).toContain('Content-Type: text/plain');
    const token = await mailbox.token(email, 'Confirm');
    expect((await ask(cookie, verify, { token })).data.verifyEmail).toEqual({ email });
    expect(await me(cookie)).toMatchObject({ emailVerified: true });
    for (const none of [token, 'x'.repeat(5_000)])
      expect((await ask(cookie, verify, { token: none })).data.verifyEmail).toEqual({ code: 'invalid_token' });
  });

  it('requires a session of the user to verify an address: another person may have signed up with it', async () => {
    const { email, cookie } = await signUp();
    const token = await mailbox.token(email, 'Confirm');
    expect((await ask('', verify, { token })).code).toBe('unauthenticated');
    const other = await signUp();
    expect((await ask(other.cookie, verify, { token })).data.verifyEmail).toEqual({ code: 'link_for_other' });
    const key = { authorization: `Bearer ${account.apiKey}` };
    expect((await ask('', verify, { token }, key)).code).toBe('forbidden');
    expect(await me(cookie)).toMatchObject({ emailVerified: false });
    expect((await ask(cookie, verify, { token })).data.verifyEmail).toEqual({ email });
  });

  it('removes everything from before the verification when the owner of the address sets a password', async () => {
    const { email, cookie } = await signUp();
    const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
    const input = { name: 'k', scopes: ['INFERENCE', 'READ', 'MANAGE'], role: 'OWNER' };
    const { secret } = (await ask(cookie, create, { input })).data.createApiKey;
    const authorization = `Bearer ${secret}`;
    const chat = async (bearer: string): Promise<number> => {
      const response = await fetch(`${account.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: bearer },
        body: JSON.stringify({ model: 'fast', messages: [{ role: 'user', content: 'Hello' }] }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    expect((await ask('', '{ account { name } }', {}, { authorization })).code).toBeNull();
    // Where prompts and events go is theirs as well.
    const own = '{ providerConnections { id } routes { name } webhooks { url } }';
    const leads = `mutation {
      connectProvider(input: { provider: "groq", apiKey: "gsk-of-whoever-it-is" }) { id }
      saveRoute(input: { name: "fast", targets: [{ model: "sandbox/chat" }] }) { name }
      createWebhook(input: { url: "https://hooks.example.com/of-theirs" }) { webhook { id } }
    }`;
    expect((await ask(cookie, leads)).code).toBeNull();
    expect(Object.values((await ask(cookie, own)).data).map((each) => each.length)).toEqual([1, 1, 1]);
    expect(await chat(authorization)).toBe(200);
    await ask('', 'mutation ($email: String!) { requestPasswordReset(email: $email) }', { email });
    expect((await mailbox.wait(email, 'Reset your password')).source).toContain('never confirmed');
    const token = await mailbox.token(email, 'Reset your password');
    const after = await ask('', reset, { input: { token, password: 'a better secret than before' } });
    expect((await ask('', '{ account { name } }', {}, { authorization })).code).toBe('invalid_api_key');
    expect((await ask(after.cookie, own)).data).toEqual({ providerConnections: [], routes: [], webhooks: [] });
    const ownKey = (await ask(after.cookie, create, { input })).data.createApiKey.secret;
    expect(await chat(`Bearer ${ownKey}`)).toBe(404);
  });

  it('sends the link again on request, with a rate limit', async () => {
    const { email, cookie } = await signUp();
    await ask(cookie, 'mutation { requestEmailVerification }');
    await mailbox.wait(email, 'Confirm', 2);
    // Each request that is accepted doubles the wait for the next, so that one is refused.
    let code: unknown;
    do ({ code } = await ask(cookie, 'mutation { requestEmailVerification }'));
    while (!code);
    expect(code).toBe('too_many_attempts');
  });

  it('resets a password with a single-use link and ends every session', async () => {
    const { email, cookie } = await signUp();
    await ask('', 'mutation ($email: String!) { requestPasswordReset(email: $email) }', {
      email: ` ${email.toUpperCase()}`,
    });
    const token = await mailbox.token(email, 'Reset your password');
    const weak = await ask('', reset, { input: { token, password: 'Password1!' } });
    expect(weak.data.resetPassword).toMatchObject({ code: 'weak_password' });
    const done = await ask('', reset, { input: { token, password: 'a better secret than before' } });
    expect(done.data.resetPassword).toEqual({ __typename: 'Session' });
    expect(await me(done.cookie)).toMatchObject({ email, emailVerified: true });
    expect((await ask(cookie, '{ viewer { user { id } } }')).code).toBe('unauthenticated');
    const again = await ask('', reset, { input: { token, password: 'yet another secret of mine' } });
    expect(again.data.resetPassword).toMatchObject({ code: 'invalid_token' });
    expect((await ask('', signIn, { input: { email, password } })).data.signIn).toMatchObject({
      code: 'invalid_credentials',
    });
    await mailbox.wait(email, 'Your password was changed');
  });

  it('accepts only one of two concurrent uses of a link', async () => {
    const { email } = await signUp();
    await ask('', 'mutation ($email: String!) { requestPasswordReset(email: $email) }', { email });
    const token = await mailbox.token(email, 'Reset your password');
    const both = await Promise.all(
      ['first of two secrets', 'second of two secrets'].map((each) =>
        ask('', reset, { input: { token, password: each } }),
      ),
    );
    expect(both.map(({ data }) => data.resetPassword.__typename).toSorted()).toEqual([
      'ResetPasswordFailure',
      'Session',
    ]);
  });

  it('returns the same result for an unknown address and sends no mail', async () => {
    const request = 'mutation ($email: String!) { requestPasswordReset(email: $email) }';
    const unknown = newEmail();
    const nobody = await ask('', request, { email: unknown });
    const { email } = await signUp();
    expect(await ask('', request, { email })).toEqual(nobody);
    await mailbox.wait(email, 'Reset your password');
    expect(mailbox.received.filter(({ to }) => to === unknown)).toEqual([]);
  });

  it('changes the address when the new one is verified, and notifies the old one', async () => {
    const { email, cookie } = await verified();
    const next = `moved-${email}`;
    const change = `mutation ($input: ChangeEmailInput!) {
      changeEmail(input: $input) { ... on User { email pendingEmail } ... on ChangeEmailFailure { code } }
    }`;
    expect((await ask(cookie, change, { input: { email: next, password: 'wrong' } })).data.changeEmail).toEqual({
      code: 'invalid_credentials',
    });
    expect((await ask(cookie, change, { input: { email: next, password } })).data.changeEmail).toEqual({
      email,
      pendingEmail: next,
    });
    await mailbox.wait(email, 'A change of your e-mail address was requested');
    const token = await mailbox.token(next, 'Confirm');
    expect((await ask('', verify, { token })).code).toBe('unauthenticated');
    expect((await ask(cookie, verify, { token })).data.verifyEmail).toEqual({ email: next });
    expect(await me(cookie)).toMatchObject({ email: next, pendingEmail: null, emailVerified: true });
    await mailbox.wait(email, 'Your e-mail address was changed');
    expect((await ask('', signIn, { input: { email: next, password } })).data.signIn.__typename).toBe('Session');
  });

  it('does not reveal a taken address, and notifies its owner', async () => {
    const owner = await verified();
    const { cookie } = await verified();
    const input = { email: owner.email, password };
    const changed = await ask(
      cookie,
      'mutation ($input: ChangeEmailInput!) { changeEmail(input: $input) { ... on User { pendingEmail } } }',
      {
        input,
      },
    );
    expect(changed.data.changeEmail).toEqual({ pendingEmail: owner.email });
    await mailbox.wait(owner.email, 'You already have a Sluice user');
    expect(await me(cookie)).not.toMatchObject({ email: owner.email });
  });

  it('changes the password with the current one, and ends other sessions and their sockets', async () => {
    const { email, cookie } = await signUp();
    const other = await ask('', signIn, { input: { email, password } });
    const socket = new WebSocket(`${account.url}/graphql`, 'graphql-transport-ws', {
      headers: { cookie: other.cookie },
    });
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    const closed = once(socket, 'close');
    const change = `mutation ($input: ChangePasswordInput!) {
      changePassword(input: $input) { ... on User { email } ... on ChangePasswordFailure { code } }
    }`;
    const input = { currentPassword: password, newPassword: 'another secret of mine' };
    expect((await ask(cookie, change, { input: { ...input, currentPassword: 'no' } })).data.changePassword).toEqual({
      code: 'invalid_credentials',
    });
    expect((await ask(cookie, change, { input: { ...input, newPassword: 'qwerty123' } })).data.changePassword).toEqual({
      code: 'weak_password',
    });
    expect((await ask(cookie, change, { input })).data.changePassword).toEqual({ email });
    expect((await ask(other.cookie, '{ viewer { user { id } } }')).code).toBe('unauthenticated');
    expect((await closed)[0]).toBe(4403);
    expect(await me(cookie)).toMatchObject({ email });
  });

  it('closes the socket of a session at its maximum age', async () => {
    const { email } = await signUp();
    let wasOpen = false;
    // A busy machine may need longer to open a socket.
    for (const seconds of [2, 8, 32, 128]) {
      const { cookie } = await ask('', signIn, { input: { email, password } });
      await queryRunning(
        account.database,
        `update sessions set expires_at = now() + interval '${seconds} seconds' from users
         where users.id = user_id and email = ${sqlText(email)}`,
      );
      const socket = new WebSocket(`${account.url}/graphql`, 'graphql-transport-ws', { headers: { cookie } });
      const closed = once(socket, 'close');
      await once(socket, 'open');
      socket.send('{"type":"connection_init"}');
      socket.once('message', (message) => (wasOpen = String(message).includes('connection_ack')));
      const [code] = await closed;
      if (!wasOpen) continue;
      expect(code).toBe(4403);
      break;
    }
    expect(wasOpen).toBe(true);
  });

  it('lists sessions and ends one or all others', async () => {
    const { email, cookie } = await signUp();
    const second = await ask('', signIn, { input: { email, password } }, { 'user-agent': 'second browser' });
    await ask('', signIn, { input: { email, password } });
    const list = '{ viewer { sessions { id current address userAgent createdAt lastSeenAt } } }';
    const { sessions } = (await ask(cookie, list)).data.viewer;
    expect(sessions).toHaveLength(3);
    expect(sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    const { id } = sessions.find(({ userAgent }: { userAgent: string }) => userAgent === 'second browser');
    const revoke = 'mutation ($id: ID!) { revokeSession(id: $id) }';
    const stranger = await signUp();
    expect((await ask(stranger.cookie, revoke, { id })).code).toBe('not_found');
    expect((await ask(cookie, revoke, { id })).data.revokeSession).toBe(true);
    expect((await ask(second.cookie, '{ viewer { user { id } } }')).code).toBe('unauthenticated');
    expect((await ask(cookie, 'mutation { revokeOtherSessions }')).data.revokeOtherSessions).toBe(1);
    expect((await ask(cookie, list)).data.viewer.sessions).toHaveLength(1);
  });

  it('requires a code at sign-in with two-factor authentication, and accepts each code once', async () => {
    const { email, totp, uri, codes, confirmed } = await withTotp();
    expect(uri).toMatch(/^otpauth:\/\/totp\/Sluice:/);
    expect(new Set(codes).size).toBe(10);
    const attempt = async (code?: string) =>
      (await ask('', signIn, { input: { email, password, ...(code !== undefined && { totp: code }) } })).data.signIn;
    expect(await attempt()).toMatchObject({ code: 'totp_required' });
    expect(await attempt(confirmed)).toMatchObject({ code: 'invalid_totp' });
    // Of the next step, which is near enough.
    const code = totp.generate({ timestamp: Date.now() + 30_000 });
    expect(await attempt(code)).toEqual({ __typename: 'Session' });
    expect(await attempt(code)).toMatchObject({ code: 'invalid_totp' });
    await mailbox.wait(email, 'Two-factor authentication was enabled');
  });

  it('accepts each recovery code once, in any formatting', async () => {
    const { email, codes } = await withTotp();
    const [code = ''] = codes;
    const attempt = async (given: string) =>
      (await ask('', signIn, { input: { email, password, totp: given } })).data.signIn;
    expect(await attempt(code.toUpperCase().replaceAll('-', ' '))).toEqual({ __typename: 'Session' });
    await mailbox.wait(email, 'A recovery code was used');
    expect(await attempt(code)).toMatchObject({ code: 'invalid_totp' });
  });

  it('rate-limits guesses of codes separately from guesses of passwords', async () => {
    const { email } = await withTotp();
    const codes: unknown[] = [];
    do codes.push((await ask('', signIn, { input: { email, password, totp: '000000' } })).data.signIn.code);
    while (codes.at(-1) === 'invalid_totp');
    expect(codes.slice(0, 4)).toEqual(Array(4).fill('invalid_totp'));
    expect(codes.at(-1)).toBe('too_many_attempts');
  });

  it('requires a code for a password reset, and keeps the link valid for the next attempt', async () => {
    const { email, codes } = await withTotp();
    await ask('', 'mutation ($email: String!) { requestPasswordReset(email: $email) }', { email });
    const token = await mailbox.token(email, 'Reset your password');
    const input = { token, password: 'a better secret than before' };
    expect((await ask('', reset, { input })).data.resetPassword).toMatchObject({ code: 'totp_required' });
    expect((await ask('', reset, { input: { ...input, totp: 'wrong' } })).data.resetPassword).toMatchObject({
      code: 'invalid_totp',
    });
    const done = await ask('', reset, { input: { ...input, totp: codes[1] } });
    expect(done.data.resetPassword).toEqual({ __typename: 'Session' });
    expect(await me(done.cookie)).toMatchObject({ totpEnabled: true });
  });

  it('disables two-factor authentication and renews recovery codes with the password and a code', async () => {
    const { email, cookie, codes } = await withTotp();
    const renew = `mutation ($input: TotpConfirmationInput!) {
      renewRecoveryCodes(input: $input) { ... on RecoveryCodes { codes } ... on RenewRecoveryCodesFailure { code } }
    }`;
    expect((await ask(cookie, renew, { input: { password, code: 'nonsense' } })).data.renewRecoveryCodes).toEqual({
      code: 'invalid_totp',
    });
    const renewed = await ask(cookie, renew, { input: { password, code: codes[0] } });
    const [fresh] = z.array(z.string()).parse(renewed.data.renewRecoveryCodes.codes);
    const disable = `mutation ($input: TotpConfirmationInput!) {
      disableTotp(input: $input) { ... on User { totpEnabled } ... on DisableTotpFailure { code } }
    }`;
    expect((await ask(cookie, disable, { input: { password, code: codes[1] } })).data.disableTotp).toEqual({
      code: 'invalid_totp',
    });
    expect((await ask(cookie, disable, { input: { password: 'wrong', code: fresh } })).data.disableTotp).toEqual({
      code: 'invalid_credentials',
    });
    expect((await ask(cookie, disable, { input: { password, code: fresh } })).data.disableTotp).toEqual({
      totpEnabled: false,
    });
    expect((await ask('', signIn, { input: { email, password } })).data.signIn.__typename).toBe('Session');
  });

  it('requires a verified address and the password to set up an authenticator app', async () => {
    const start = 'mutation ($p: String!) { startTotp(password: $p) { ... on StartTotpFailure { code } } }';
    const { cookie } = await signUp();
    expect((await ask(cookie, start, { p: password })).data.startTotp).toEqual({ code: 'email_not_verified' });
    expect((await ask(cookie, start, { p: 'wrong' })).data.startTotp).toEqual({ code: 'invalid_credentials' });
    const confirm = 'mutation { confirmTotp(code: "123456") { ... on ConfirmTotpFailure { code } } }';
    expect((await ask(cookie, confirm)).data.confirmTotp).toEqual({ code: 'totp_not_started' });
    const person = await withTotp();
    expect((await ask(person.cookie, start, { p: password })).data.startTotp).toEqual({ code: 'totp_already_enabled' });
  });

  it('changes the name immediately', async () => {
    const { cookie } = await signUp();
    const update = 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { name } }';
    expect((await ask(cookie, update, { input: { name: ' Grace ' } })).data.updateProfile).toEqual({ name: 'Grace' });
    expect(await me(cookie)).toMatchObject({ name: 'Grace' });
  });

  it('rejects operations on users by API keys', async () => {
    const key = { authorization: `Bearer ${account.apiKey}` };
    expect((await ask('', 'mutation { revokeOtherSessions }', {}, key)).code).toBe('forbidden');
    expect((await ask('', 'mutation { requestEmailVerification }')).code).toBe('unauthenticated');
    expect((await ask('', '{ viewer { sessions { id } } }', {}, key)).data.viewer.sessions).toEqual([]);
  });
});
