import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});
afterAll(() => account.dispose());

function post(path: string, key: string, body: unknown): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(`${account.url}/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${account.apiKey}`,
      'idempotency-key': key,
      ...(!isForm && { 'content-type': 'application/json' }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
}

/** Makes the same request twice. @returns the first answer's text */
async function replayed(path: string, key: string, body: () => unknown): Promise<string> {
  const first = await post(path, key, body());
  const text = await first.text();
  expect([first.status, text]).toEqual([200, expect.any(String)]);
  const again = await post(path, key, body());
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await again.text()).toBe(text);
  for (const name of ['content-type', 'x-request-id', 'cache-control', 'access-control-allow-origin'])
    expect(again.headers.get(name)).toBe(first.headers.get(name));
  return text;
}

describe('Idempotency-Key', () => {
  it('replays a response, a stream of one, one in the background, and its cancelling', async () => {
    const asked = { model: 'sandbox/chat', input: 'Hello' };
    await replayed('responses', 'whole', () => asked);
    expect(await replayed('responses', 'stream', () => ({ ...asked, stream: true }))).toContain('response.completed');
    const { id } = JSON.parse(await replayed('responses', 'background', () => ({ ...asked, background: true })));
    await replayed(`responses/${id}/cancel`, 'cancel', () => ({}));
  });

  it('tells an error of a route to its caller, and frees the key', async () => {
    expect((await post('responses/resp_unknown/cancel', 'unknown', {})).status).toBe(404);
    expect((await post('responses/resp_unknown/cancel', 'unknown', {})).headers.get('idempotency-replayed')).toBeNull();
    expect((await post('responses', 'invalid', { model: 'sandbox/chat' })).status).toBe(400);
    expect((await post('responses', 'invalid', { model: 'sandbox/chat', input: 'Hello' })).status).toBe(200);
  });

  it('begins a video once', async () => {
    const form = (): FormData => {
      const data = new FormData();
      data.set('model', 'sandbox/video');
      data.set('prompt', 'a boat');
      return data;
    };
    const { id } = JSON.parse(await replayed('videos', 'video', form));
    const listed = await fetch(`${account.url}/v1/videos`, { headers: { authorization: `Bearer ${account.apiKey}` } });
    expect(JSON.parse(await listed.text()).data).toMatchObject([{ id }]);
  });

  it('is bound to its key: that of another account is another', async () => {
    const other = await newAccount();
    const body = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] };
    await replayed('chat/completions', 'shared', () => body);
    const answer = await fetch(`${other.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${other.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': 'shared',
      },
      body: JSON.stringify(body),
    });
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
    await other.dispose();
  });
});
