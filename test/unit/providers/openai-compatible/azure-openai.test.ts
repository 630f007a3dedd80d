import { createOpenAI } from '@ai-sdk/openai';
import { afterEach, describe, expect, it } from 'vitest';
import { openConnection } from '../../../../src/providers/registry.ts';
import { startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';
import { describeProvider } from '../provider-contract.ts';
import { requestAtOwnUrl } from '../requested-url.ts';
import { recording, replayStream } from '../replay.ts';
import { readEventData } from '../../../harness/read-events.ts';

describeProvider({
  id: 'azure-openai',
  url: null,
  oracle: (baseURL) => createOpenAI({ baseURL, apiKey: 'key' }).chat('recorded-model'),
  header: ['api-key', 'provider-key'],
  // OpenAI's own package does not read `reasoning_content`, which other models on Azure send.
  inOpenAiTerms: (result, name) => {
    if (!name.endsWith('.json')) return result;
    const { choices } = JSON.parse(recording(`azure-openai/${name}`));
    return { ...result, reasoning: choices[0].message.reasoning_content ?? '' };
  },
});

describe('the URL of azure-openai', () => {
  const settings = { id: 'azure-openai', apiKey: 'key', baseUrl: undefined, connectTimeoutMs: 60_000 };

  it('requires a resource or a base URL', async () => {
    expect(() => openConnection('azure-openai', { ...settings, options: {} })).toThrow(
      'Provider `azure-openai` needs a base URL, or its option `resource`.',
    );
    await openConnection('azure-openai', { ...settings, options: { resource: 'mine' } }).close();
  });

  it.each([
    [{ resource: 'mine' }, 'mine.openai.azure.com/openai/v1/chat/completions'],
    [
      { resource: 'mine', api_version: '2024-10-21' },
      'mine.openai.azure.com/openai/deployments/the-model/chat/completions?api-version=2024-10-21',
    ],
  ])('is built from %o', async (options, url) => {
    const { host, request } = await requestAtOwnUrl('azure-openai', { options });
    expect(host + request.path).toBe(url);
    expect(request.headers).toMatchObject({ 'api-key': 'provider-key' });
    expect(request.headers).not.toHaveProperty('authorization');
  });
});

describe('the paths of azure-openai', () => {
  let upstream: FakeProvider;
  let gateway: TestGateway;
  afterEach(async () => {
    await gateway.close();
    await upstream.close();
  });

  it.each([
    ['2024-10-21', '/v1/deployments/my%20gpt/chat/completions?api-version=2024-10-21'],
    ['2025-04-01-preview', '/v1/deployments/my%20gpt/chat/completions?api-version=2025-04-01-preview'],
    ['preview', '/v1/chat/completions?api-version=preview'],
  ])('sends requests of version %s to %s', async (version, path) => {
    upstream = await startFakeProvider();
    const settings = { baseUrl: upstream.url, options: { api_version: version } };
    gateway = await startGateway({ providers: { 'azure-openai': settings } });
    const response = await ask({ model: 'azure-openai/my gpt' });
    expect(response.status).toBe(200);
    expect(upstream.requests[0]?.path).toBe(path);
  });

  it('removes events without a choice before the response', async () => {
    const lines = recording('azure-openai/azure-model-router.1.chunks.txt');
    upstream = await startFakeProvider(replayStream(lines, { done: true }));
    gateway = await startGateway({ providers: { 'azure-openai': upstream.url } });
    const text = await (await ask({ model: 'azure-openai/m', stream: true })).text();
    const chunks = readEventData(text);
    expect(chunks.length).toBe(lines.trim().split('\n').length - 2);
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true);
  });

  async function ask(members: Record<string, unknown>): Promise<Response> {
    return fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...members }),
    });
  }
});
