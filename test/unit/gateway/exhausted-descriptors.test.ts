import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { descriptors } from '../../../src/descriptors/descriptors.ts';
import { completion, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const model = 'openai/gpt-4.1-mini';
const messages = [{ role: 'user', content: 'Hello' }];

describe('a request without descriptors for the connection to its provider', () => {
  let provider: FakeProvider;
  let gateway: TestGateway;

  beforeAll(async () => {
    provider = await startFakeProvider();
  });

  beforeEach(async () => {
    provider.answerWith(completion());
    gateway = await startGateway({
      providers: { openai: provider.url, deepseek: provider.url },
      config: 'routing: { retries: 3 }\nroutes: { both: { targets: [openai/gpt-4.1-mini, deepseek/deepseek-chat] } }',
    });
    vi.spyOn(descriptors, 'canDial', 'get').mockReturnValue(false);
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await gateway.close();
  });

  afterAll(() => provider.close());

  const post = (path: string, body: object): Promise<Response> =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const chat = (name: string): Promise<Response> => post('/v1/chat/completions', { model: name, messages });

  it.each([
    ['/v1/chat/completions', { model, messages }],
    ['/v1/completions', { model, prompt: 'Hello' }],
    ['/v1/messages', { model, max_tokens: 9, messages }],
    [`/v1beta/models/${model}:generateContent`, { contents: [{ parts: [{ text: 'Hello' }] }] }],
    ['/v1/embeddings', { model: 'openai/text-embedding-3-small', input: 'Hello' }],
  ])('gets 503 of this server from %s, and when to try again', async (path, body) => {
    const response = await post(path, body);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    const message =
      'This server is out of file descriptors, so it rejected the request. Send it again in a few seconds.';
    expect(await response.json()).toMatchObject({ error: { message } });
  });

  it('is recorded as rejected, not billed, and tried at no other target', async () => {
    const before = provider.requests.length;
    expect((await chat('both')).status).toBe(503);
    await expect.poll(() => gateway.rejected()).toMatchObject([{ error_code: 'resources_exhausted', cost_nano: '0' }]);
    expect(gateway.settled()).toEqual([]);
    expect(provider.requests).toHaveLength(before);
  });

  it('does not affect the health of the provider', async () => {
    for (let count = 0; count < 10; count++) expect((await chat('both')).status).toBe(503);
    vi.restoreAllMocks();
    const response = await chat('both');
    expect([response.status, response.headers.get('x-sluice-provider')]).toEqual([200, 'openai']);
  });
});
