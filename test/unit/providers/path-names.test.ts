import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathSegments } from '../../../src/providers/shared/http/path-segment.ts';
import { startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

let provider: FakeProvider;
let gateway: TestGateway;

beforeEach(async () => {
  provider = await startFakeProvider();
  const at = { baseUrl: provider.url, apiKey: 'provider-key' };
  gateway = await startGateway({
    providers: {
      'amazon-bedrock': { ...at, options: { region: 'eu-west-1' } },
      'azure-openai': { ...at, options: { api_version: '2024-10-21' } },
      'black-forest-labs': at,
      cohere: at,
      deepinfra: at,
      elevenlabs: at,
      fal: at,
      gemini: at,
      'google-vertex': { ...at, options: { project: 'p', location: 'global' } },
      luma: at,
      replicate: at,
    },
  });
});

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const post = (path: string, body: object): Promise<Response> =>
  fetch(`${gateway.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const chat = (model: string) => ({ model, messages: [{ role: 'user', content: 'Hello' }] });
const image = (model: string) => ({ model, prompt: 'A lighthouse' });
const speech = (model: string) => ({ model, input: 'Hello', voice: 'v' });
const rerank = (model: string) => ({ model, query: 'q', documents: ['d'] });
const embed = (model: string) => ({ model, input: 'Hello' });

const calls: readonly (readonly [provider: string, path: string, body: (model: string) => object])[] = [
  ['amazon-bedrock', '/chat/completions', chat],
  ['amazon-bedrock', '/embeddings', embed],
  ['azure-openai', '/chat/completions', chat],
  ['azure-openai', '/embeddings', embed],
  ['black-forest-labs', '/images/generations', image],
  ['deepinfra', '/rerank', rerank],
  ['fal', '/images/generations', image],
  ['gemini', '/chat/completions', chat],
  ['gemini', '/embeddings', embed],
  ['gemini', '/images/generations', image],
  ['gemini', '/audio/speech', speech],
  ['google-vertex', '/chat/completions', chat],
  ['google-vertex', '/embeddings', embed],
  ['luma', '/images/generations', image],
  ['replicate', '/images/generations', image],
];

const names = [
  '..',
  '../../x',
  'a/../../x',
  'a/./b',
  'a/%2e%2e/b',
  '%252e%252e/x',
  'a\\..\\b',
  'models/..',
  'tunedModels/../x',
];

describe('a name that would change a URL’s path', () => {
  it.each(calls)('is not sent to %s by %s', async (id, path, body) => {
    for (const name of names) {
      const answer = await post(path, body(`${id}/${name}`));
      expect([400, 404], `${name}: ${await answer.text()}`).toContain(answer.status);
    }
    expect(provider.requests.map((request) => request.path)).toEqual([]);
  });

  it.each(['..', '.', '%2e%2e', 'a/../b', 'a\\..\\b'])('is refused as a voice: %s', async (voice) => {
    const answer = await post('/audio/speech', { model: 'elevenlabs/eleven_flash_v2_5', input: 'Hello', voice });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('"param":"voice"');
    expect(provider.requests).toEqual([]);
  });

  it.each(names)('is rejected for paths of several segments: %s', (name) => {
    expect(() => pathSegments(name)).toThrow('becomes part of a URL path');
  });

  it('does not change names that are valid path segments', async () => {
    await post('/chat/completions', chat('azure-openai/gpt-4.1..mini'));
    await post('/audio/speech', { model: 'elevenlabs/eleven_flash_v2_5', input: 'Hello', voice: 'a b' });
    const paths = new Set(provider.requests.map((request) => request.path.split('?')[0]));
    expect([...paths]).toEqual([
      expect.stringMatching(/\/deployments\/gpt-4\.1\.\.mini\/chat\/completions$/),
      expect.stringMatching(/\/text-to-speech\/a%20b\/stream$/),
    ]);
  });
});
