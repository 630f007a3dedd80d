import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawHttp } from '../../harness/raw-http.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

afterAll(() => account.dispose());

const model = 'sandbox/chat';
const messages = [{ role: 'user', content: 'Hello' }];
const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];

/** A path that is matched before the routing of Express, and its body. */
const routes = [
  ['/v1/chat/completions', { model, messages }],
  ['/v1/messages', { model, messages, max_tokens: 50 }],
  ['/v1/messages?beta=true', { model, messages, max_tokens: 50 }],
  ['/v1/responses', { model, input: 'Hello' }],
  [`/v1beta/models/${model}:generateContent`, { contents }],
  [`/v1beta/models/${model}:streamGenerateContent?alt=sse`, { contents }],
] as const;

/** Another spelling of the same, which Express routes. */
function routed(path: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}a=b`;
}

interface Shown {
  readonly status: number;
  readonly headers: readonly string[];
  /** Names of members and types, without what differs each time. */
  readonly error: unknown;
}

async function show(path: string, body: string, headers: Record<string, string>): Promise<Shown> {
  const response = await fetch(`${account.url}${path}`, { method: 'POST', body, headers });
  const text = await response.text();
  const error = response.ok ? null : (JSON.parse(text) as Record<string, unknown>).error;
  const names = [...response.headers.keys()].toSorted();
  // Only browsers need these, and they send `origin`.
  const needed = 'origin' in headers ? names : names.filter((name) => !name.startsWith('access-control-'));
  return { status: response.status, headers: needed, error };
}

it.each(['/v1/models/a#:generateContent', '/v1beta/models/a#b:streamGenerateContent?alt=sse'])(
  'a target that is no URL is refused, and no fault of the server: %s',
  async (target) => {
    const client = await RawHttp.open(account.url);
    const headers = `host: localhost\r\nauthorization: Bearer ${account.apiKey}\r\ncontent-type: application/json`;
    client.send(`POST ${target} HTTP/1.1\r\n${headers}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`);
    const { status } = await client.answer();
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    client.close();
  },
);

describe.each(routes)('%s, matched before the routing of Express,', (path, body) => {
  const type = { 'content-type': 'application/json' };
  const authorized = () => ({ ...type, authorization: `Bearer ${account.apiKey}` });

  it('is answered as by way of it', async () => {
    const found = await show(path, JSON.stringify(body), authorized());
    expect(found.status).toBe(200);
    expect(found).toEqual(await show(routed(path), JSON.stringify(body), authorized()));
  });

  it.each([
    ['without a key', () => type, JSON.stringify(body)],
    ['with an unknown key', () => ({ ...type, authorization: 'Bearer sk-sluice-unknown' }), JSON.stringify(body)],
    ['with a body that is no JSON', authorized, '{'],
    ['with a body that is no object', authorized, '[]'],
    ['with another content type', () => ({ ...authorized(), 'content-type': 'text/plain' }), JSON.stringify(body)],
  ])('is refused as by way of it %s', async (_, headers, sent) => {
    const found = await show(path, sent, headers());
    expect(found.status).toBeGreaterThanOrEqual(400);
    expect(found.status).toBeLessThan(500);
    expect(found).toEqual(await show(routed(path), sent, headers()));
  });

  it('is answered to browsers of other sites', async () => {
    const headers = { ...authorized(), origin: 'https://elsewhere.example' };
    const found = await show(path, JSON.stringify(body), headers);
    expect(found.headers).toContain('access-control-allow-origin');
    expect(found).toEqual(await show(routed(path), JSON.stringify(body), headers));
  });
});
