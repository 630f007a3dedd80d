import { createAzure } from '@ai-sdk/azure';
import { generateText } from 'ai';
import OpenAI, { AzureOpenAI, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completion, startFakeProvider, stream, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';
import { wavTone } from '../../../harness/audio-samples.ts';

const apiVersion = '2024-10-21';
let upstream: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startFakeProvider();
  gateway = await startGateway({ openai: upstream.url });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

function azure(deployment?: string): AzureOpenAI {
  return new AzureOpenAI({
    endpoint: gateway.url,
    apiKey: secret,
    apiVersion,
    maxRetries: 0,
    ...(deployment !== undefined && { deployment }),
  });
}

function post(path: string, body: object | string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'api-key': secret, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const messages = [{ role: 'user' as const, content: 'Hello' }];

describe('the SDK for Azure', () => {
  it('creates a chat completion, streamed and not', async () => {
    upstream.answerWith(completion());
    const answer = await azure('openai/gpt-5').chat.completions.create({ model: 'ignored', messages });
    expect(answer.choices[0]?.message.content).toBe('Hello from the provider');
    expect(upstream.requests.at(-1)?.json).toMatchObject({ model: 'gpt-5', messages });
    upstream.answerWith(stream(['Hel', 'lo']));
    let text = '';
    for await (const part of await azure().chat.completions.create({ model: 'openai/gpt-5', messages, stream: true }))
      text += part.choices[0]?.delta.content ?? '';
    expect(text).toBe('Hello');
  });

  it('creates a completion, an embedding, an image, speech and a transcription', async () => {
    const completed = await azure('sandbox/chat').completions.create({ model: 'x', prompt: 'Hello' });
    expect(completed.object).toBe('text_completion');
    const embedded = await azure('sandbox/embedding').embeddings.create({ model: 'x', input: 'Hello' });
    expect(embedded.data).toHaveLength(1);
    const drawn = await azure('sandbox/image').images.generate({
      model: 'x',
      prompt: 'A lighthouse',
      response_format: 'b64_json',
    });
    expect(drawn.data).toHaveLength(1);
    const image = await toFile(Buffer.from(drawn.data?.[0]?.b64_json ?? '', 'base64'), 'a.png', { type: 'image/png' });
    const edited = await azure('sandbox/image').images.edit({ model: 'x', image, prompt: 'A boat' });
    expect(edited.data).toHaveLength(1);
    const spoken = await azure('sandbox/speech').audio.speech.create({
      model: 'x',
      voice: 'alloy',
      input: 'Hello',
      response_format: 'wav',
    });
    expect(
      Buffer.from(await spoken.arrayBuffer())
        .subarray(0, 4)
        .toString(),
    ).toBe('RIFF');
    const file = await toFile(wavTone(1), 'a.wav');
    const heard = await azure('sandbox/transcription').audio.transcriptions.create({ model: 'x', file });
    expect(heard.text.length).toBeGreaterThan(0);
  });

  it('lists models', async () => {
    const listed: string[] = [];
    for await (const model of azure().models.list()) listed.push(model.id);
    expect(listed).toContain('sandbox/chat');
  });
});

it('the AI SDK’s provider for Azure generates a text, by a deployment and by `v1`', async () => {
  upstream.answerWith(completion());
  for (const useDeploymentBasedUrls of [true, false]) {
    const provider = createAzure({
      baseURL: `${gateway.url}/openai${useDeploymentBasedUrls ? '' : '/v1'}`,
      apiKey: secret,
      apiVersion,
      useDeploymentBasedUrls,
    });
    const { text } = await generateText({ model: provider.chat('openai/gpt-5'), prompt: 'Hello', maxRetries: 0 });
    expect(text).toBe('Hello from the provider');
  }
});

it('OpenAI’s SDK has `/openai/v1` as its base URL', async () => {
  upstream.answerWith(completion());
  const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/openai/v1`, maxRetries: 0 });
  const answer = await client.chat.completions.create({ model: 'openai/gpt-5', messages });
  expect(answer.choices[0]?.message.content).toBe('Hello from the provider');
});

describe('a deployment', () => {
  const path = (name: string, version = `?api-version=${apiVersion}`): string =>
    `/openai/deployments/${name}/chat/completions${version}`;

  it.each(['openai%2Fgpt-5', 'openai/gpt-5'])('named %s wins over the model of the body', async (name) => {
    upstream.answerWith(completion());
    const before = gateway.settled().length;
    const response = await post(path(name), { model: 'sandbox/chat', messages });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-model')).toBe('openai/gpt-5');
    expect((await gateway.settledCount(before + 1)).at(-1)).toMatchObject({ requested_model: 'openai/gpt-5' });
  });

  it('names the model of a body that names none', async () => {
    expect((await post(path('sandbox%2Fchat'), { messages })).status).toBe(200);
  });

  it('wins over the model of a body with a byte order mark, too', async () => {
    const body = `\ufeff${JSON.stringify({ model: 'openai/gpt-5', messages })}`;
    const response = await post(path('sandbox%2Fchat'), body);
    expect(response.headers.get('x-sluice-model')).toBe('sandbox/chat');
    expect(response.status).toBe(200);
  });

  it('is the model that the key must be allowed', async () => {
    const limited = await startGateway({ openai: upstream.url, key: { allowedModels: ['sandbox/chat'] } });
    try {
      const url = limited.url + path('openai%2Fgpt-5');
      const headers = { 'api-key': secret, 'content-type': 'application/json' };
      const body = JSON.stringify({ model: 'sandbox/chat', messages });
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(404);
    } finally {
      await limited.close();
    }
  });

  it.each([
    ['{"messages":[],"model":"sandbox/chat","model":"sandbox/chat"}', 400],
    ['{"Model":"sandbox/chat","messages":[{"role":"user","content":"x"}]}', 400],
    ['[]', 400],
    ['{', 400],
  ])('with the body %s is %i', async (body, status) => {
    const headers = { 'api-key': secret, 'content-type': 'application/json' };
    const response = await fetch(gateway.url + path('sandbox%2Fchat'), { method: 'POST', headers, body });
    expect(response.status).toBe(status);
  });

  it('has an Idempotency-Key of its own', async () => {
    upstream.answerWith(completion());
    const headers = { 'idempotency-key': 'azure-1' };
    const first = await post(path('openai%2Fgpt-5'), { messages }, headers);
    expect(first.status).toBe(200);
    const again = await post(path('openai%2Fgpt-5'), { messages }, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await post(path('sandbox%2Fchat'), { messages }, headers)).status).toBe(409);
  });
});

describe('the version of the API', () => {
  it.each([
    ['/openai/deployments/sandbox%2Fchat/chat/completions', 400],
    ['/openai/deployments/sandbox%2Fchat/chat/completions?api-version=', 400],
    ['/openai/deployments/sandbox%2Fchat/chat/completions?api-version=a%20b', 400],
    ['/openai/deployments/sandbox%2Fchat/chat/completions?api-version=2099-01-01-preview', 200],
    ['/openai/v1/chat/completions', 200],
    ['/openai/v1/chat/completions?api-version=preview', 200],
  ])('of %s leads to %i', async (path, status) => {
    const response = await post(path, { model: 'sandbox/chat', messages });
    expect(response.status).toBe(status);
    if (status === 400)
      expect(await response.json()).toMatchObject({
        error: { param: 'api-version', message: expect.stringContaining('2024-10-21') },
      });
  });

  it.each(['/openai/deployments/sandbox%2Fchat/chat/completions', '/openai/responses', '/openai/models'])(
    'is read after the key at %s',
    async (path) => {
      const [without, wrong] = await Promise.all([
        post(path, { messages }, { 'api-key': '' }),
        post(path, { messages }, { 'api-key': 'sk-sluice-wrong' }),
      ]);
      expect([without.status, wrong.status]).toEqual([401, 401]);
      expect(await wrong.json()).toMatchObject({ error: { code: 'invalid_api_key' } });
    },
  );
});

it.each([
  '/openai/nothing?api-version=1',
  '/openai/deployments/x/nothing?api-version=1',
  '/openai/v1/nothing',
  '/openai',
])('%s is unknown', async (path) => {
  const response = await post(path, {});
  expect(response.status).toBe(404);
  const [written = ''] = path.split('?');
  expect(await response.json()).toMatchObject({
    error: { code: 'unknown_url', message: expect.stringContaining(` ${written}. `) },
  });
});

it('a request without a key is refused as on the other paths', async () => {
  const response = await fetch(`${gateway.url}/openai/deployments/sandbox%2Fchat/chat/completions?api-version=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages }),
  });
  expect(response.status).toBe(401);
});
