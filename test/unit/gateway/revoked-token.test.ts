import { afterAll, beforeAll, expect, it } from 'vitest';
import { SluiceError } from '../../../src/errors/index.ts';
import { chunk, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const tokenId = '00000000-0000-4000-8000-00000000000b';
const makerKeyId = '00000000-0000-4000-8000-00000000000c';

let provider: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({ openai: provider.url, key: { tokenId, revokedWithIds: [tokenId, makerKeyId] } });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

function chat(): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4.1', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
  });
}

it.each([
  ['the access token', tokenId],
  ['the key that made its token', makerKeyId],
])('a stream ends with an error, and none begins, when %s is revoked', async (_what, id) => {
  provider.answerWith((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ content: 'Hello' }));
  });
  const answer = await chat();
  expect(answer.status).toBe(200);
  gateway.pipeline.endKey(id, new SluiceError('invalid_api_key', { values: { key: 'it was revoked' } }));
  expect(await answer.text()).toContain('invalid_api_key');
  expect((await chat()).status).toBe(401);
  gateway.pipeline.serveKey(id);
});
