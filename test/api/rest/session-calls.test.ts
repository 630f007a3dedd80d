import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

afterAll(() => account.dispose());

function graphql(query: string): Promise<Response> {
  return fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: account.cookie },
    body: JSON.stringify({ query }),
  });
}

const session = (): Record<string, string> => ({ cookie: account.cookie, 'x-sluice-session': '1' });

function embed(headers: Record<string, string>): Promise<Response> {
  return fetch(`${account.url}/v1/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'sandbox/embedding', input: 'a' }),
  });
}

describe('a page of this host', () => {
  it('calls /v1 with its session, which is recorded as the dashboard’s key', async () => {
    const response = await embed({ ...session(), origin: account.url, 'sec-fetch-site': 'same-origin' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ratelimit-limit-requests')).not.toBeNull();
    const requestId = response.headers.get('x-request-id');
    await expect
      .poll(async () => {
        const answer = await graphql('{ usageLogs(first: 5) { nodes { requestId apiKey { id } member } } }');
        const { data }: { data: { usageLogs: { nodes: object[] } } } = JSON.parse(await answer.text());
        return data.usageLogs.nodes;
      })
      .toContainEqual({ requestId, apiKey: null, member: expect.any(String) });
    expect((await fetch(`${account.url}/v1/models`, { headers: session() })).status).toBe(200);
  });

  it.each<readonly [string, () => Record<string, string>, number]>([
    ['its cookie alone', () => ({ cookie: account.cookie }), 401],
    ['the header alone', () => ({ 'x-sluice-session': '1' }), 401],
    ['a session that is none', () => ({ cookie: 'sluice_session=nothing', 'x-sluice-session': '1' }), 401],
    ['another site’s origin', () => ({ ...session(), origin: 'https://elsewhere.example' }), 401],
    ['no origin that one knows', () => ({ ...session(), origin: 'null' }), 401],
    ['another site’s page', () => ({ ...session(), 'sec-fetch-site': 'cross-site' }), 401],
    ['an account that is not theirs', () => ({ ...session(), 'x-sluice-account': 'another' }), 404],
    ['a wrong key beside it', () => ({ ...session(), authorization: 'Bearer sk-sluice-wrong' }), 401],
  ])('is refused with %s', async (_name, headers, status) => {
    expect((await embed(headers())).status).toBe(status);
  });

  it('calls it behind a proxy with its own authentication', async () => {
    expect((await embed({ ...session(), authorization: 'Basic eDp5' })).status).toBe(200);
  });

  it('is the only one that browsers allow: other origins may not send credentials', async () => {
    const response = await fetch(`${account.url}/v1/embeddings`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://elsewhere.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-sluice-session',
      },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('is refused after its user has signed out', async () => {
    await graphql('mutation { signOut }');
    expect((await embed(session())).status).toBe(401);
  });
});
