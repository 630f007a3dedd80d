import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const recorded = readFileSync(new URL('../../fixtures/services/openai/openai-embedding.json', import.meta.url), 'utf8');

let provider: FakeProvider;
let gateway: TestGateway;
let client: OpenAI;

beforeEach(async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({ openai: provider.url });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
});

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

describe('OpenAI’s embeddings', () => {
  it('go on as they came, and are metered by their usage', async () => {
    const answer = JSON.parse(recorded);
    provider.answerWith(json(200, recorded));
    const { data, response } = await client.embeddings
      .create({ model: 'openai/text-embedding-3-small', input: ['one', 'two'], encoding_format: 'float' })
      .withResponse();
    expect(data.data.map(({ embedding }) => embedding)).toEqual(
      answer.data.map(({ embedding }: { embedding: number[] }) => embedding),
    );
    expect(provider.requests[0]?.path).toBe('/v1/embeddings');
    expect(provider.requests[0]?.json).toEqual({
      model: 'text-embedding-3-small',
      input: ['one', 'two'],
      encoding_format: 'float',
    });
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({
      capability: 'embeddings',
      model: 'openai/text-embedding-3-small',
      status: 'succeeded',
      input_tokens: answer.usage.prompt_tokens,
      output_tokens: 0,
      estimated: false,
    });
    // 0.02 USD for a million tokens: 20 nano-USD each.
    expect(record?.cost_nano).toBe(String(answer.usage.prompt_tokens * 20));
    expect(response.headers.get('x-sluice-cost')).toMatch(/^0\.0000\d+$/);
  });
});

describe('the sandbox’s embeddings', () => {
  it('are the same in both encodings, of unit length, and near where words are shared', async () => {
    const input = ['the cat sat on the mat', 'the cat sat on a mat', 'quarterly revenue grew'];
    const base64 = await client.embeddings.create({ model: 'sandbox/embedding', input, dimensions: 64 });
    const float = await client.embeddings.create({
      model: 'sandbox/embedding',
      input,
      dimensions: 64,
      encoding_format: 'float',
    });
    expect(base64.data.map(({ embedding }) => embedding)).toEqual(float.data.map(({ embedding }) => embedding));
    const vectors = float.data.map(({ embedding }) => embedding);
    const product = (a: number[] = [], b: number[] = []): number => a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0);
    for (const vector of vectors) {
      expect(vector).toHaveLength(64);
      expect(product(vector, vector)).toBeCloseTo(1, 5);
    }
    expect(product(vectors[0], vectors[1])).toBeGreaterThan(product(vectors[0], vectors[2]) + 0.3);
    expect(float.usage.prompt_tokens).toBeGreaterThan(10);
  });
});

describe('a request', () => {
  it.each([
    ['an empty text', { input: '' }, 'string_below_min_length', 'input'],
    ['an empty list', { input: [] }, 'empty_array', 'input'],
    ['a member that is not known', { input: 'a', colour: 'red' }, 'unknown_parameter', 'colour'],
    ['no input', {}, 'missing_required_parameter', 'input'],
    ['too small dimensions', { input: 'a', dimensions: 0 }, 'integer_below_min_value', 'dimensions'],
  ])('with %s is refused', async (_what, members, code, param) => {
    const answer = await fetch(`${gateway.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/embedding', ...members }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code, param } });
  });

  it('to a provider without embeddings is told so', async () => {
    const asked = client.embeddings.create({ model: 'sandbox/chat', input: 'a' });
    await expect(asked).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });
});
