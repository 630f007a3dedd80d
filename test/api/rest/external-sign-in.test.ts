import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RedirectBrowser } from '../../harness/browser.ts';
import { startFakeGithub, type FakeGithub } from '../../harness/fake-github.ts';
import { startMailbox, type Mailbox } from '../../harness/mailbox.ts';
import { startOidcIssuer, type OidcIssuer } from '../../harness/oidc-issuer.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});
const password = 'correct horse battery';
const linkIdentity = `mutation ($input: LinkIdentityInput!) {
  linkIdentity(input: $input) { ... on IdentityLink { startUrl } ... on LinkIdentityFailure { code } }
}`;
const me = `{ viewer { user { id email name emailVerified hasPassword identities { id provider providerName email } } } }`;

describe('sign-in at identity providers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'));
  const file = join(folder, 'sluice.yaml');
  let work: OidcIssuer;
  let club: OidcIssuer;
  let github: FakeGithub;
  let mailbox: Mailbox;
  let server: ServerProcess;
  let byInvitation: ServerProcess;
  let people = 0;

  beforeAll(async () => {
    [work, club, github, mailbox] = await Promise.all([
      startOidcIssuer(),
      startOidcIssuer(),
      startFakeGithub(),
      startMailbox(),
    ]);
    const entry = ({ url, clientId }: OidcIssuer) =>
      `{ issuer: "${url}", client_id: ${clientId}, client_secret: "\${CLIENT_SECRET}", allow_http: true }`;
    writeFileSync(
      file,
      `identityProviders:
  work: ${entry(work)}
  club: ${entry(club).replace('{', '{ name: The Club,')}
  github: { issuer: "${github.url}", client_id: gh, client_secret: gh-secret, allow_http: true }
  gone: { issuer: "https://issuer.invalid", client_id: x }
`,
    );
    const environment = {
      SLUICE_CONFIG: file,
      CLIENT_SECRET: work.clientSecret,
      SMTP_URL: mailbox.url,
      LOG_LEVEL: 'silent',
    };
    [server, byInvitation] = await Promise.all([
      startServer({ ...environment, SLUICE_SIGNUP: 'open' }),
      startServer({ ...environment, SLUICE_SIGNUP: 'invite' }),
    ]);
  });

  afterAll(async () => {
    await Promise.all([server, byInvitation].map((each) => each.dispose()));
    await Promise.all([work.close(), club.close(), github.close(), mailbox.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    const name = `person${++people}`;
    const person = { sub: name, email: `${name}@example.com`, email_verified: true, name: 'Ada' };
    work.person = person;
    club.person = { ...person, sub: `club-${name}` };
  });

  const emailNow = () => `person${people}@example.com`;

  async function ask(browser: RedirectBrowser, query: string, variables: object = {}, at = server) {
    const response = await fetch(`${at.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: browser.cookies(at.url) },
      body: JSON.stringify({ query, variables }),
    });
    browser.keep(at.url, response);
    const { data, errors } = answerSchema.parse(await response.json());
    return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
  }

  const userOf = async (browser: RedirectBrowser) => (await ask(browser, me)).data.viewer?.user ?? null;

  /** Follows redirects until the browser is back on a page of the product. */
  const isPage = (url: URL): boolean =>
    [server, byInvitation].some((each) => each.url === url.origin) && !url.pathname.startsWith('/auth/');

  const isCallback = (url: URL): boolean => url.pathname.endsWith('/callback') && url.origin === server.url;

  async function come(browser: RedirectBrowser, provider = 'work', query = '', at = server): Promise<URL> {
    return browser.follow(`${at.url}/auth/${provider}/start${query}`, isPage);
  }

  /** Starts like the sign-in page, with the return path in the body. */
  async function startHere(browser: RedirectBrowser, returnTo: string, at = server): Promise<URL> {
    const response = await fetch(`${at.url}/auth/work/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: browser.cookies(at.url) },
      body: JSON.stringify({ return: returnTo }),
    });
    browser.keep(at.url, response);
    const { location } = z.object({ location: z.url() }).parse(await response.json());
    expect(location).not.toContain('secret');
    return browser.follow(location, isPage);
  }

  /** Stops at the redirect back to the product. */
  const cameBack = (browser: RedirectBrowser, provider = 'work') =>
    browser.follow(`${server.url}/auth/${provider}/start`, isCallback);

  /** Completes at the provider and returns to the settings. */
  async function link(browser: RedirectBrowser, proof: { password?: string; code?: string } = {}): Promise<URL> {
    const { startUrl } = (await askToLink(browser, proof)).data.linkIdentity;
    return browser.follow(`${server.url}${startUrl}&return=/settings`, isPage);
  }

  const askToLink = (browser: RedirectBrowser, proof: { password?: string; code?: string } = {}, provider = 'club') =>
    ask(browser, linkIdentity, { input: { provider, ...proof } });

  async function signUp(): Promise<RedirectBrowser> {
    const browser = new RedirectBrowser();
    const input = { email: emailNow(), password, name: 'Ada' };
    await ask(browser, 'mutation ($input: SignUpInput!) { signUp(input: $input) { __typename } }', { input });
    const token = await mailbox.token(emailNow(), 'Finish signing up');
    const confirm = 'mutation ($input: ConfirmSignUpInput!) { confirmSignUp(input: $input) { __typename } }';
    await ask(browser, confirm, { input: { token } });
    return browser;
  }

  /** With a provider that does not verify the address. */
  async function signUpUnverified(): Promise<RedirectBrowser> {
    const browser = new RedirectBrowser();
    club.person = { sub: `club-person${people}`, email: emailNow(), email_verified: false, name: 'Ada' };
    await come(browser, 'club');
    return browser;
  }

  const restrictionOf = async (browser: RedirectBrowser) =>
    (await ask(browser, '{ account { spendingRestriction } }')).data.account.spendingRestriction;

  async function enableTotp(browser: RedirectBrowser): Promise<TOTP> {
    const started = await ask(
      browser,
      `mutation { startTotp(password: "${password}") { ... on TotpSetup { secret } } }`,
    );
    const totp = new TOTP({ secret: Secret.fromBase32(started.data.startTotp.secret) });
    const confirm = 'mutation ($code: String!) { confirmTotp(code: $code) { __typename } }';
    expect((await ask(browser, confirm, { code: totp.generate() })).data.confirmTotp.__typename).toBe('RecoveryCodes');
    return totp;
  }

  /** The latest audit entry of the signed-in user. */
  async function actionsOf(browser: RedirectBrowser): Promise<string[]> {
    const { data } = await ask(browser, '{ auditLog(first: 20) { nodes { action requestId actor { label } } } }');
    const nodes = z
      .array(z.object({ action: z.string(), requestId: z.string(), actor: z.object({ label: z.string() }) }))
      .parse(data.auditLog.nodes);
    return nodes.filter(({ actor }) => actor.label === emailNow()).map(({ action }) => action);
  }

  const nextCode = (totp: TOTP): string => totp.generate({ timestamp: Date.now() + 30_000 });

  it('creates a user at the first sign-in, and recognises them later', async () => {
    const browser = new RedirectBrowser();
    expect((await come(browser, 'work', '?return=/keys?x=1')).href).toBe(`${server.url}/keys?x=1`);
    const user = await userOf(browser);
    expect(user).toMatchObject({
      email: emailNow(),
      name: 'Ada',
      emailVerified: true,
      hasPassword: false,
      identities: [{ provider: 'work', providerName: '127.0.0.1', email: emailNow() }],
    });
    const again = new RedirectBrowser();
    // The address changed at the provider; the subject did not.
    work.person = { sub: `person${people}`, email: 'renamed@example.com', email_verified: true };
    await come(again);
    expect(await userOf(again)).toMatchObject({ id: user.id, email: user.email });
  });

  it('returns to a path that only the last URL contains, in its fragment', async () => {
    const browser = new RedirectBrowser();
    expect((await startHere(browser, '/invitation#token=secret')).href).toBe(`${server.url}/invitation#token=secret`);
    expect(await userOf(browser)).toMatchObject({ email: emailNow() });
    expect((await startHere(browser, '//evil.example')).href).toBe(`${server.url}/`);
    const ask = (provider: string, body: string, type = 'application/json') =>
      fetch(`${server.url}/auth/${provider}/start`, { method: 'POST', headers: { 'content-type': type }, body });
    expect((await ask('work', '{"return":')).status).toBe(400);
    expect((await ask('work', 'return=/keys', 'application/x-www-form-urlencoded')).status).toBe(415);
    expect((await ask('nobody', '{}')).status).toBe(404);
  });

  it('lists the providers with their start URLs', async () => {
    const { data } = await ask(new RedirectBrowser(), '{ signInOptions { signUp providers { id name startUrl } } }');
    expect(data.signInOptions).toEqual({
      signUp: 'OPEN',
      providers: [
        { id: 'work', name: '127.0.0.1', startUrl: '/auth/work/start' },
        { id: 'club', name: 'The Club', startUrl: '/auth/club/start' },
        { id: 'github', name: 'GitHub', startUrl: '/auth/github/start' },
        { id: 'gone', name: 'issuer.invalid', startUrl: '/auth/gone/start' },
      ],
    });
  });

  it('links a user with the same address if it is verified on both sides, and notifies them', async () => {
    const owner = await signUp();
    const browser = new RedirectBrowser();
    expect((await come(browser)).pathname).toBe('/');
    expect((await userOf(browser)).id).toBe((await userOf(owner)).id);
    expect(await userOf(browser)).toMatchObject({ hasPassword: true, identities: [{ provider: 'work' }] });
    await mailbox.wait(emailNow(), 'An identity provider was linked');
  });

  it('links no user whose address is verified only on one side', async () => {
    const mine = await signUpUnverified();
    const browser = new RedirectBrowser();
    expect((await come(browser)).search).toBe('?error=identity_not_linked');
    expect(await restrictionOf(mine)).toBe('VERIFICATION');
    const token = await mailbox.token(emailNow(), 'Confirm');
    await ask(mine, 'mutation ($token: String!) { verifyEmail(token: $token) { __typename } }', { token });
    expect((await userOf(mine)).emailVerified).toBe(true);
    expect(await restrictionOf(mine)).toBeNull();
    work.person = { sub: `person${people}`, email: emailNow(), email_verified: false };
    const other = new RedirectBrowser();
    expect((await come(other)).search).toBe('?error=identity_not_linked');
    expect(await userOf(other)).toBeNull();
    expect((await userOf(mine)).identities).toMatchObject([{ provider: 'club' }]);
  });

  it('creates a user for an unverified address, and asks them to verify it', async () => {
    work.person = { sub: `person${people}`, email: emailNow(), email_verified: false };
    const browser = new RedirectBrowser();
    await come(browser);
    expect(await userOf(browser)).toMatchObject({ emailVerified: false, name: `person${people}` });
    await mailbox.wait(emailNow(), 'Confirm');
  });

  it('removes identities linked before the address was verified when its owner sets a password', async () => {
    work.person = { sub: `person${people}`, email: emailNow(), email_verified: false };
    const stranger = new RedirectBrowser();
    await come(stranger);
    const owner = new RedirectBrowser();
    await ask(owner, 'mutation ($email: String!) { requestPasswordReset(email: $email) }', { email: emailNow() });
    const token = await mailbox.token(emailNow(), 'Reset your password');
    await ask(owner, 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) { __typename } }', {
      input: { token, password },
    });
    expect(await userOf(owner)).toMatchObject({ emailVerified: true, identities: [] });
    expect(await userOf(stranger)).toBeNull();
    expect((await come(stranger)).search).toBe('?error=identity_not_linked');
  });

  it('requires an e-mail address', async () => {
    work.person = { sub: `person${people}` };
    expect((await come(new RedirectBrowser())).search).toBe('?error=identity_without_email');
  });

  it('admits invited people without open sign-up, only into that account', async () => {
    const refused = async () => (await come(new RedirectBrowser(), 'work', '', byInvitation)).href;
    expect(await refused()).toBe(`${byInvitation.url}/sign-in?error=sign_up_closed`);
    const invite = 'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { __typename } }';
    const response = await fetch(`${byInvitation.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${byInvitation.apiKey}` },
      body: JSON.stringify({ query: invite, variables: { input: { email: emailNow(), role: 'DEVELOPER' } } }),
    });
    expect(await response.json()).toEqual({ data: { inviteMember: { __typename: 'Invitation' } } });
    work.person = { sub: `person${people}`, email: emailNow(), email_verified: false };
    expect(await refused()).toBe(`${byInvitation.url}/sign-in?error=sign_up_closed`);
    work.person = { sub: `person${people}`, email: emailNow(), email_verified: true };
    const stranger = new RedirectBrowser();
    expect((await startHere(stranger, '/invitation#token=secret', byInvitation)).href).toBe(`${byInvitation.url}/`);
    const joined = await ask(
      stranger,
      '{ viewer { role accounts { role } user { emailVerified } } }',
      {},
      byInvitation,
    );
    expect(joined.data.viewer).toEqual({
      role: 'DEVELOPER',
      accounts: [{ role: 'DEVELOPER' }],
      user: { emailVerified: true },
    });
  });

  it('links several identities concurrently to a signed-in user, and unlinks them', async () => {
    const browser = new RedirectBrowser();
    await come(browser);
    expect((await link(browser)).pathname).toBe('/settings');
    const { id, identities } = await userOf(browser);
    expect(identities.map(({ provider }: { provider: string }) => provider)).toEqual(['work', 'club']);
    const node = 'query ($id: ID!) { node(id: $id) { ... on LinkedIdentity { provider } } }';
    expect((await ask(browser, node, { id: identities[1].id })).data.node).toEqual({ provider: 'club' });
    const other = new RedirectBrowser();
    await come(other, 'club');
    expect((await userOf(other)).id).toBe(id);
    const unlink = 'mutation ($id: ID!) { unlinkIdentity(id: $id) { identities { provider } } }';
    const left = await ask(browser, unlink, { id: identities[0].id });
    expect(left.data.unlinkIdentity.identities).toEqual([{ provider: 'club' }]);
    expect(await actionsOf(browser)).toEqual(expect.arrayContaining(['linked_identity.unlinked', 'user.signed_in']));
    expect((await ask(browser, unlink, { id: identities[1].id })).code).toBe('last_way_in');
    expect((await ask(browser, unlink, { id: identities[0].id })).code).toBe('not_found');
    const another = new RedirectBrowser();
    people++;
    work.person = { sub: `person${people}`, email: emailNow(), email_verified: true };
    await come(another);
    expect((await ask(another, node, { id: identities[1].id })).data.node).toBeNull();
    expect((await ask(another, unlink, { id: identities[1].id })).code).toBe('not_found');
  });

  it('does not link an identity of another user', async () => {
    await come(new RedirectBrowser(), 'club');
    people++;
    work.person = { sub: `person${people}`, email: emailNow(), email_verified: true };
    const browser = new RedirectBrowser();
    await come(browser);
    expect((await link(browser)).href).toBe(`${server.url}/settings?error=identity_taken`);
  });

  it('does not link without a session, from another site, or into another session', async () => {
    expect((await askToLink(new RedirectBrowser())).code).toBe('unauthenticated');
    const browser = new RedirectBrowser();
    await come(browser);
    const begin = async () => `${server.url}${(await askToLink(browser)).data.linkIdentity.startUrl}`;
    expect((await new RedirectBrowser().follow(await begin(), isPage)).search).toBe('?error=unauthenticated');
    const crossSite = await browser.follow(await begin(), isPage, { 'sec-fetch-site': 'cross-site' });
    expect(crossSite.search).toBe('?error=unauthenticated');
    const back = await browser.follow(await begin(), isCallback);
    await ask(browser, 'mutation { signOut }');
    expect((await browser.follow(back.href, isPage)).search).toBe('?error=sign_in_expired');
  });

  it('does not link to an unverified address', async () => {
    const browser = await signUpUnverified();
    expect((await askToLink(browser, { password })).data.linkIdentity).toEqual({ code: 'email_not_verified' });
  });

  it('does not link with a session alone: it requires the password, and the code of an authenticator app', async () => {
    const browser = await signUp();
    expect((await come(browser, 'club', '?link=1')).search).toBe('?error=sign_in_expired');
    for (const proof of [{}, { password: 'wrong' }])
      expect((await askToLink(browser, proof)).data.linkIdentity).toEqual({ code: 'invalid_credentials' });
    const totp = await enableTotp(browser);
    expect((await askToLink(browser, { password })).data.linkIdentity).toEqual({ code: 'totp_required' });
    expect((await userOf(browser)).identities).toEqual([]);
    expect((await link(browser, { password, code: nextCode(totp) })).search).toBe('');
    expect(await userOf(browser)).toMatchObject({ identities: [{ provider: 'club' }] });
  });

  it('accepts a link ticket once, in its session and at its provider', async () => {
    const browser = new RedirectBrowser();
    await come(browser);
    const begin = async () => `${server.url}${(await askToLink(browser)).data.linkIdentity.startUrl}`;
    const elsewhere = (await begin()).replace('/auth/club/', '/auth/work/');
    expect((await browser.follow(elsewhere, isPage)).search).toBe('?error=sign_in_expired');
    const other = new RedirectBrowser();
    await come(other);
    expect((await userOf(other)).id).toBe((await userOf(browser)).id);
    expect((await other.follow(await begin(), isPage)).search).toBe('?error=sign_in_expired');
    const ticket = await begin();
    await browser.follow(ticket, isCallback);
    expect((await browser.follow(ticket, isPage)).search).toBe('?error=sign_in_expired');
    expect((await askToLink(browser, {}, 'nobody')).code).toBe('not_found');
  });

  it('lists the remaining identities in the mail about a new password', async () => {
    const browser = new RedirectBrowser();
    await come(browser);
    await ask(browser, 'mutation ($email: String!) { requestPasswordReset(email: $email) }', { email: emailNow() });
    const { source } = await mailbox.wait(emailNow(), 'Reset your password');
    expect(source).toContain(`You can still sign in without the password through: work (${emailNow()})`);
  });

  it('requires the code of an authenticator app before it links', async () => {
    const owner = await signUp();
    const totp = await enableTotp(owner);
    const browser = new RedirectBrowser();
    expect((await come(browser, 'work', '?return=/usage')).href).toBe(`${server.url}/sign-in?totp=1&return=%2Fusage`);
    expect((await startHere(browser, '/invitation#token=secret')).href).toBe(
      `${server.url}/sign-in?totp=1&return=%2Finvitation#token=secret`,
    );
    expect(await userOf(browser)).toBeNull();
    expect((await userOf(owner)).identities).toEqual([]);
    const pending = browser.cookie(server.url, 'sluice_pending') ?? '';
    const finish = `mutation ($input: FinishSignInInput!) {
      finishSignIn(input: $input) { __typename ... on SignInFailure { code } }
    }`;
    expect((await ask(browser, finish, { input: { totp: 'wrong' } })).data.finishSignIn.code).toBe('invalid_totp');
    expect((await ask(browser, finish, { input: { totp: ' ' } })).data.finishSignIn.code).toBe('totp_required');
    const done = await ask(browser, finish, { input: { totp: nextCode(totp) } });
    expect(done.data.finishSignIn).toEqual({ __typename: 'Session' });
    expect(await userOf(browser)).toMatchObject({ email: emailNow(), identities: [{ provider: 'work' }] });
    expect((await actionsOf(browser)).slice(0, 2)).toEqual(['user.signed_in', 'linked_identity.linked']);
    expect(browser.cookie(server.url, 'sluice_pending')).toBeNull();
    // Already used, with any code; and it is not a session.
    const thief = new RedirectBrowser();
    thief.setCookie(server.url, 'sluice_pending', pending);
    expect((await ask(thief, finish, { input: { totp: nextCode(totp) } })).data.finishSignIn.__typename).toBe(
      'SignInFailure',
    );
    thief.setCookie(server.url, 'sluice_session', pending);
    expect(await userOf(thief)).toBeNull();
    expect((await come(new RedirectBrowser(), 'work')).search).toBe('?totp=1');
  });

  it('refuses a state of another flow', async () => {
    const browser = new RedirectBrowser();
    const back = await cameBack(browser);
    back.searchParams.set('state', 'another');
    expect((await browser.follow(back.href, isPage)).search).toBe('?error=sign_in_expired');
    expect(await userOf(browser)).toBeNull();
  });

  it('refuses a callback in another browser, and a repeated one', async () => {
    const browser = new RedirectBrowser();
    const back = await cameBack(browser);
    const flow = browser.cookie(server.url, 'sluice_flow') ?? '';
    expect((await new RedirectBrowser().follow(back.href, isPage)).search).toBe('?error=sign_in_expired');
    expect((await browser.follow(back.href, isPage)).search).toBe('');
    const replay = new RedirectBrowser();
    replay.setCookie(server.url, 'sluice_flow', flow);
    expect((await replay.follow(back.href, isPage)).search).toBe('?error=sign_in_expired');
    expect(await userOf(replay)).toBeNull();
  });

  it('refuses a changed cookie, and one of another provider', async () => {
    const browser = new RedirectBrowser();
    const back = await cameBack(browser);
    const flow = browser.cookie(server.url, 'sluice_flow') ?? '';
    const changed = `${flow.slice(0, 100)}${flow[100] === 'A' ? 'B' : 'A'}${flow.slice(101)}`;
    for (const [cookie, path] of [
      [changed, 'work'],
      [flow, 'club'],
      ['nonsense', 'work'],
    ]) {
      const thief = new RedirectBrowser();
      thief.setCookie(server.url, 'sluice_flow', cookie ?? '');
      const at = back.href.replace('/auth/work/', `/auth/${path}/`);
      expect((await thief.follow(at, isPage)).search).toBe('?error=sign_in_expired');
    }
  });

  it('refuses the code of another browser, by PKCE and the nonce', async () => {
    const victim = new RedirectBrowser();
    const stolen = await cameBack(victim);
    const thief = new RedirectBrowser();
    const own = await cameBack(thief);
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    expect((await thief.follow(own.href, isPage)).search).toBe('?error=identity_provider_failed');
    expect(await userOf(thief)).toBeNull();
  });

  it('sends a new state, nonce and S256 challenge each time', async () => {
    const sent = await Promise.all([1, 2].map(() => new RedirectBrowser().visit(`${server.url}/auth/work/start`)));
    for (const url of sent) {
      expect(url?.searchParams.get('code_challenge_method')).toBe('S256');
      expect(url?.searchParams.get('redirect_uri')).toBe(`${server.url}/auth/work/callback`);
    }
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const values = sent.map((url) => url?.searchParams.get(name) ?? '');
      expect(new Set(values).size).toBe(2);
      for (const value of values) expect(value).toMatch(/^[\w-]{43}$/);
    }
  });

  it('does not trust the Host header', async () => {
    const headers = { host: 'localhost:1', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${server.url}/auth/work/start`, { headers }, resolve).on('error', reject);
    });
    response.resume();
    expect(new URL(response.headers.location ?? '').searchParams.get('redirect_uri')).toBe(
      `${server.url}/auth/work/callback`,
    );
    const [cookie = ''] = response.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^sluice_flow=[\w-]+; Max-Age=600; Path=\/auth\/work; .*HttpOnly; SameSite=Lax/);
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/%09/evil.example/../..//evil.example',
    'javascript:alert(1)',
    '',
  ])('does not return to another host: %s', async (path) => {
    const end = await come(new RedirectBrowser(), 'work', `?return=${encodeURIComponent(path)}`);
    expect(end.origin).toBe(server.url);
  });

  it('reports a cancelled sign-in', async () => {
    work.person = null;
    expect((await come(new RedirectBrowser())).href).toBe(`${server.url}/sign-in?error=identity_provider_denied`);
  });

  it('reports an unreachable or unknown provider', async () => {
    expect((await come(new RedirectBrowser(), 'gone')).search).toBe('?error=identity_provider_failed');
    expect((await come(new RedirectBrowser(), 'nobody')).search).toBe('?error=not_found');
  });

  it('signs in with GitHub by its numeric ID, with the primary address', async () => {
    github.user = { id: 4711, login: 'ada', name: null };
    github.emails = [
      { email: 'old@example.com', primary: false, verified: true },
      { email: emailNow(), primary: true, verified: true },
    ];
    const browser = new RedirectBrowser();
    expect((await come(browser, 'github')).pathname).toBe('/');
    const user = await userOf(browser);
    expect(user).toMatchObject({
      email: emailNow(),
      name: 'ada',
      emailVerified: true,
      identities: [{ provider: 'github' }],
    });
    github.user = { id: 4711, login: 'ada-renamed', name: 'Ada' };
    const again = new RedirectBrowser();
    await come(again, 'github');
    expect((await userOf(again)).id).toBe(user.id);
    expect(github.challenges.every((challenge) => challenge)).toBe(true);
  });

  it('does not link an address that GitHub has not verified', async () => {
    await signUp();
    github.user = { id: 4712, login: 'eve', name: null };
    github.emails = [{ email: emailNow(), primary: true, verified: false }];
    expect((await come(new RedirectBrowser(), 'github')).search).toBe('?error=identity_not_linked');
  });
});
