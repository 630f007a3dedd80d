import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConfigured } from '../../harness/configured-server.ts';
import { completion, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import type { ServerProcess } from '../../harness/server-process.ts';

let provider: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeProvider(completion());
  server = await startConfigured(`providers: { deepseek: { base_url: "${provider.url}", api_key: k } }`);
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

const lookUp = { name: 'look_up', input_schema: { type: 'object' } };
const declared = { name: 'look_up', parameters: { type: 'object', properties: {} } };
const requests: readonly (readonly [protocol: string, path: string, body: object, dropped: string])[] = [
  [
    'Responses',
    '/v1/responses',
    {
      model: 'deepseek/deepseek-chat',
      input: 'Hello',
      tools: [{ type: 'function', ...declared }, { type: 'web_search' }],
      store: false,
    },
    'tools[1]',
  ],
  [
    'Messages',
    '/v1/messages',
    {
      model: 'deepseek/deepseek-chat',
      max_tokens: 50,
      messages: [{ role: 'user', content: 'Hello' }],
      tools: [lookUp, { type: 'web_search_20250305', name: 'web_search' }],
    },
    'tools[1]',
  ],
  [
    'Gemini',
    '/v1beta/models/deepseek/deepseek-chat:generateContent',
    {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      tools: [{ functionDeclarations: [declared] }, { googleSearch: {} }],
    },
    'tools.googleSearch',
  ],
];

describe('a parameter that a provider does not support', () => {
  it.each(requests)('is named as a client of %s names it', async (_protocol, path, body, dropped) => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    expect(response.headers.get('x-sluice-dropped-params')).toBe(dropped);
  });
});
