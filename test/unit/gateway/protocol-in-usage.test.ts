import { afterAll, beforeAll, expect, it } from 'vitest';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

const messages = [{ role: 'user', content: 'Hello' }];
const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];

/** Path, body, and the protocol in the record. */
const requests: readonly (readonly [path: string, body: object, protocol: string | undefined])[] = [
  ['/v1/chat/completions', { model: 'sandbox/chat', messages }, 'chat-completions'],
  ['/v1/messages', { model: 'sandbox/chat', max_tokens: 8, messages }, 'messages'],
  ['/v1beta/models/sandbox/chat:generateContent', { contents }, 'gemini'],
  ['/v1/embeddings', { model: 'sandbox/embedding', input: 'Hello' }, undefined],
];

it.each(requests)('a request to %s is recorded with its protocol', async (path, body, protocol) => {
  const before = gateway.settled().length;
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.text();
  expect(response.status).toBe(200);
  const settled = await gateway.settledCount(before + 1);
  expect(settled.at(-1)?.protocol).toBe(protocol);
});

it('a rejected request is recorded with its protocol', async () => {
  await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'nobody/knows', max_tokens: 8, messages }),
  });
  expect(gateway.rejected().at(-1)).toMatchObject({ requested_model: 'nobody/knows', protocol: 'messages' });
});
