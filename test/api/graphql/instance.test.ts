import { TOTP, Secret } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { post } from '../../harness/graphql-client.ts';
import { mailFolder } from '../../harness/mailbox.ts';
import { queryRunning } from '../../harness/running-database.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { signUp } from '../../harness/shared-server.ts';

let own: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  own = await startFakeProvider();
  server = await startServer({
    TRUST_PROXY_HOPS: '1',
    LOG_LEVEL: 'trace',
    SLUICE_OUTBOUND_ALLOW: new URL(own.url).host,
    OPENAI_API_KEY: 'sk-operators',
    OPENAI_BASE_URL: own.url,
    OIDC_ISSUER: 'https://login.example.com/realm',
    OIDC_CLIENT_ID: 'sluice',
  });
});

afterAll(async () => {
  await server.dispose();
  await own.close();
});

const ask = (query: string, variables: object, headers: Record<string, string>) =>
  post(server.url, { query, variables }, headers);

/** Every row of every table, as text. */
async function allRows(): Promise<ReadonlyMap<string, string>> {
  const tables = await queryRunning<{ name: string }>(
    server.database,
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`,
  );
  const rows = new Map<string, string>();
  for (const { name } of tables)
    rows.set(name, JSON.stringify(await queryRunning(server.database, `select t::text as row from ${name} t`)));
  return rows;
}

/** As it is, and as bytes and their texts show it. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('hex'), bytes.toString('base64').slice(0, 20)];
}

function expectNowhere(secrets: readonly string[], places: ReadonlyMap<string, string>): void {
  for (const [place, text] of places)
    for (const form of secrets.flatMap(formsOf)) expect(text.includes(form), place).toBe(false);
}

describe('no log line, response or row contains', () => {
  it('the credentials of a connection', async () => {
    const canary = 'sk-canary-9f8e7d6c5b4a3021';
    const secretCanary = 'canary-secret-option-0123456789';
    const { cookie } = await signUp(server.url);
    const connect = `mutation ($input: ConnectProviderInput!) {
      connectProvider(input: $input) { id credentialHint options { name value } secretOptionNames }
    }`;
    const input = {
      provider: 'openai',
      apiKey: canary,
      baseUrl: own.url,
      options: [{ name: 'region', value: 'eu' }],
      secretOptions: [{ name: 'client_secret', value: secretCanary }],
    };
    const made = await ask(connect, { input }, { cookie });
    expect(made.data?.connectProvider).toMatchObject({
      options: [{ name: 'region', value: 'eu' }],
      secretOptionNames: ['client_secret'],
    });
    const createKey = 'mutation { createApiKey(input: { name: "k" }) { secret } }';
    const { secret } = (await ask(createKey, {}, { cookie })).data?.createApiKey ?? {};
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    const chat = await response.text();
    expect(own.requests.at(-1)?.headers.authorization).toBe(`Bearer ${canary}`);
    const wrong = await Promise.all(
      [
        { ...input, unknown: canary },
        { ...input, apiKey: [canary] },
        { ...input, apiKey: { [canary]: canary } },
      ].map((each) => ask(connect, { input: each }, { cookie })),
    );
    expect(wrong.map(({ code }) => code)).toEqual(wrong.map(() => 'graphql_invalid'));
    own.answerWith(refusal(401, `Incorrect API key provided: ${canary}`));
    const test = 'mutation ($id: ID!) { testConnection(id: $id) { lastTest { message } } }';
    const tested = await ask(test, { id: made.data?.connectProvider.id }, { cookie });
    const rows = await allRows();
    expect(rows.get('public.provider_connections')).toContain('client_secret');
    const answers = JSON.stringify([made, chat, wrong, tested]);
    expectNowhere(
      [canary, secretCanary, 'sk-operators'],
      new Map([...rows, ['log', server.output()], ['answers', answers]]),
    );
  });

  it('a token, code or secret of a user', async () => {
    const { email, password, cookie } = await signUp(server.url);
    const mail = mailFolder(server.dataDir);
    const verify = 'mutation ($token: String!) { verifyEmail(token: $token) { __typename } }';
    await ask(verify, { token: await mail.token(email, 'Confirm') }, { cookie });
    const start = 'mutation ($password: String!) { startTotp(password: $password) { ... on TotpSetup { secret } } }';
    const totp = new TOTP({
      secret: Secret.fromBase32((await ask(start, { password }, { cookie })).data?.startTotp.secret),
    });
    const confirm = 'mutation ($code: String!) { confirmTotp(code: $code) { ... on RecoveryCodes { codes } } }';
    const { codes } = (await ask(confirm, { code: totp.generate() }, { cookie })).data?.confirmTotp ?? {};
    expect(codes).toHaveLength(10);
    await ask('mutation ($email: String!) { requestPasswordReset(email: $email) }', { email }, {});
    const token = await mail.token(email, 'Reset your password');
    expectNowhere([token, totp.secret.base32, ...codes], new Map([...(await allRows()), ['log', server.output()]]));
  });

  it('a request body that is not JSON', async () => {
    const body = '{"query":"mutation { signIn(input: {password: \\"hunter2\\"}) }",}';
    await fetch(`${server.url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(server.output()).not.toContain('hunter2');
  });
});

describe('the first owner', () => {
  it('does not need to verify an address', async () => {
    const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { __typename } }';
    const { headers } = await ask(signIn, { input: { email: server.email, password: server.password } }, {});
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const { data } = await ask('{ viewer { user { emailVerified } } }', {}, { cookie });
    expect(data).toEqual({ viewer: { user: { emailVerified: true } } });
  });
});

describe('an unauthenticated client', () => {
  it('can read the available sign-in methods', async () => {
    const { data } = await ask('{ signInOptions { signUp providers { id name startUrl } } }', {}, {});
    expect(data?.signInOptions).toEqual({
      signUp: 'OPEN',
      providers: [{ id: 'oidc', name: 'login.example.com', startUrl: '/auth/oidc/start' }],
    });
  });
});
