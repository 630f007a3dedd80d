import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { exchange, type RawAnswer } from '../../harness/raw-http.ts';
import { newAccount, newEmail, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

afterAll(async () => {
  await account.dispose();
});

type Headers = Readonly<Record<string, string>>;

function ask(host: string, path: string, headers: Headers = {}, body = ''): Promise<RawAnswer> {
  const lines = Object.entries({ host, 'content-length': String(body.length), ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return exchange(account.url, `${body === '' ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${head}\r\n${body}`);
}

function graphql(host: string, query: string, headers: Headers = {}, variables: object = {}): Promise<RawAnswer> {
  const body = JSON.stringify({ query, variables });
  return ask(host, '/graphql', { 'content-type': 'application/json', ...headers }, body);
}

/** A request of a page on another site whose host name resolves to this server. */
const foreign = 'evil.example:4000';
const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { __typename } }';
const html = { accept: 'text/html' };

describe('a page whose host name resolves to this server', () => {
  it.each(['/', '/keys', '/sign-in', '/assets/nothing.js', '/docs', '/auth/work/start'])(
    'is not shown %s',
    async (path) => {
      const answer = await ask(foreign, path, html);
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'host_not_allowed' } });
    },
  );

  it('cannot sign up or in, and cannot read the schema', async () => {
    const input = { email: newEmail(), password: 'correct horse battery', name: 'Guest' };
    for (const query of [signUp, '{ __schema { queryType { name } } }', '{ viewer { user { email } } }']) {
      const answer = await graphql(foreign, query, {}, { input });
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ extensions: { code: 'host_not_allowed' } }] });
    }
  });

  it('gets no session with a malformed key', async () => {
    const input = { email: newEmail(), password: 'correct horse battery', name: 'Guest' };
    const answer = await graphql(foreign, signUp, { authorization: 'Bearer nothing' }, { input });
    expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ extensions: { code: 'bad_user_input' } }] });
    expect(answer.headers.has('set-cookie')).toBe(false);
  });

  it.each([
    ['/graphql', {}],
    ['/exports/usage.csv', {}],
    ['/v1/models', { 'x-sluice-session': '1' }],
    ['/v1/models', {}],
  ])('cannot use a session at %s', async (path, headers) => {
    const answer = await ask(foreign, path, { cookie: account.cookie, ...headers });
    expect(answer.status).toBe(403);
  });

  it('cannot run requests with a session at /v1/chat/completions', async () => {
    const body = JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] });
    const headers = { cookie: account.cookie, 'x-sluice-session': '1', 'content-type': 'application/json' };
    expect((await ask(foreign, '/v1/chat/completions', headers, body)).status).toBe(403);
    expect((await ask(new URL(account.url).host, '/v1/chat/completions', headers, body)).status).toBe(200);
  });

  it.each([
    ['its own origin', { origin: `http://${foreign}` }],
    ['a session', { cookie: 'sluice_session=something' }],
  ])('cannot open a socket with %s', async (_what, headers: Headers) => {
    const socket = new WebSocket(`${account.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: { host: foreign, ...headers },
    });
    const status = await new Promise((resolve) => {
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.once('open', () => resolve('open'));
    });
    socket.on('error', () => undefined).terminate();
    expect(status).toBe(403);
  });
});

describe('a program that uses another name of this server', () => {
  const name = 'sluice:4000';

  it('authenticates by its key', async () => {
    const headers = { authorization: `Bearer ${account.apiKey}` };
    expect((await ask(name, '/v1/models', headers)).status).toBe(200);
    expect((await ask(name, '/exports/usage.csv?from=never', headers)).status).toBe(400);
    const answer = await graphql(name, '{ viewer { currentAccount { name } } }', headers);
    expect(JSON.parse(answer.body)).toMatchObject({ data: { viewer: {} } });
  });

  it('can check liveness', async () => {
    expect((await ask(name, '/healthz')).status).toBe(200);
    expect((await ask(name, '/readyz')).status).toBe(200);
  });
});

it('is reachable by loopback names and addresses', async () => {
  for (const host of ['localhost:1', '127.0.0.1', '[::1]:4000', 'app.localhost'])
    expect((await ask(host, '/', html)).status).toBe(200);
});
