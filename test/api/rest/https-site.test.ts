import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../harness/graphql-client.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

let server: ServerProcess;

beforeAll(async () => {
  server = await startServer({ SLUICE_PUBLIC_URL: 'https://gate.example.com' });
});

afterAll(() => server.dispose());

const viewer = '{ viewer { user { email } } }';

async function signIn(): Promise<string> {
  const { email, password } = server;
  const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { __typename } }';
  const { headers, data } = await post(server.url, { query, variables: { input: { email, password } } });
  expect(data?.signIn).toEqual({ __typename: 'Session' });
  const [cookie = ''] = headers.getSetCookie();
  return cookie;
}

describe('a server with an https origin', () => {
  it('stores sessions in a cookie restricted to https and its host', async () => {
    const cookie = await signIn();
    expect(cookie).toMatch(/^__Host-sluice_session=h[\w-]{43}; Path=\/; .*HttpOnly; Secure; SameSite=Lax/);
    expect(cookie).not.toMatch(/domain/i);
    const [pair = ''] = cookie.split(';');
    const { data } = await post(server.url, { query: viewer }, { cookie: pair });
    expect(data?.viewer.user.email).toBe(server.email);
    const { headers } = await post(server.url, { query: 'mutation { signOut }' }, { cookie: pair });
    expect(headers.getSetCookie()[0]).toMatch(/^__Host-sluice_session=; Path=\/; Expires=Thu, 01 Jan 1970.*Secure/);
  });

  it.each(['/', '/graphql', '/v1/models', '/healthz', '/nothing'])('sends HSTS for %s', async (path) => {
    const { headers } = await fetch(server.url + path, { headers: { accept: 'text/html' } });
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  it.each(['{}', 'no JSON'])('sends HSTS for a chat completion with the body %j', async (body) => {
    const headers = { authorization: 'Bearer sk-none', 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body });
    expect([answer.status, answer.headers.get('strict-transport-security')]).toEqual([401, 'max-age=31536000']);
  });

  it('ignores a session cookie that another host of its domain could have set', async () => {
    const [pair = ''] = (await signIn()).split(';');
    const planted = pair.replace('__Host-', '');
    const { code, headers } = await post(server.url, { query: viewer }, { cookie: planted });
    expect(code).toBe('unauthenticated');
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sluice_session=; Path=\/; Expires=Thu, 01 Jan 1970/),
    ]);
    const call = { cookie: planted, 'x-sluice-session': '1' };
    expect((await fetch(`${server.url}/v1/models`, { headers: call })).status).toBe(401);
    // The session stays valid.
    expect((await post(server.url, { query: viewer }, { cookie: pair })).code).toBeNull();
  });
});
