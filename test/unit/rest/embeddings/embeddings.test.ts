import { readFileSync } from 'node:fs';
import { createOpenAI } from '@ai-sdk/openai';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

const recorded = readFileSync(
  new URL('../../../fixtures/services/openai/openai-embedding.json', import.meta.url),
  'utf8',
);

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
  it('are relayed unchanged, and metered by their usage', async () => {
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

describe('the official clients', () => {
  it('receive numbers although OpenAI’s SDK requests base64 and the provider returns numbers', async () => {
    const vector = [0.5, -0.25, 0.125];
    const list = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: vector }], model: 'm' };
    provider.answerWith(json(200, { ...list, usage: { prompt_tokens: 1, total_tokens: 1 } }));
    const told = await client.embeddings.create({ model: 'openai/text-embedding-3-small', input: 'one' });
    expect(provider.requests[0]?.json.encoding_format).toBe('base64');
    expect(told.data[0]?.embedding).toEqual(vector);
  });

  it('of the AI SDK embed a list', async () => {
    const openai = createOpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1` });
    const values = ['the cat sat on the mat', 'quarterly revenue grew'];
    const model = openai.embeddingModel('sandbox/embedding');
    const told = await model.doEmbed({ values, providerOptions: { openai: { dimensions: 32 } } });
    expect(told.embeddings.map((vector) => vector.length)).toEqual([32, 32]);
    expect(told.usage?.tokens).toBeGreaterThan(5);
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
    ['a text among tokens', { input: ['a', 1] }, 'invalid_value', 'input'],
    ['tokens among lists of them', { input: [[1], 1] }, 'invalid_value', 'input'],
    ['an empty text in a list', { input: ['a', ''] }, 'string_below_min_length', 'input[1]'],
    ['an empty list of tokens', { input: [[]] }, 'empty_array', 'input[0]'],
    ['a token below zero', { input: [-1] }, 'integer_below_min_value', 'input[0]'],
    ['half a token', { input: [0.5] }, 'invalid_type', 'input[0]'],
    ['too many texts', { input: Array(2_049).fill('a') }, 'array_above_max_length', 'input'],
    ['too many tokens', { input: [Array(2_049).fill(1)] }, 'array_above_max_length', 'input[0]'],
    ['an object', { input: { text: 'a' } }, 'invalid_type', 'input'],
    ['an unknown encoding', { input: 'a', encoding_format: 'int8' }, 'invalid_value', 'encoding_format'],
    ['an unknown kind of text', { input: 'a', input_type: 'poem' }, 'invalid_value', 'input_type'],
    ['too many dimensions', { input: 'a', dimensions: 5_000 }, 'integer_above_max_value', 'dimensions'],
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

  it('to a model without embeddings returns an error', async () => {
    const asked = client.embeddings.create({ model: 'sandbox/chat', input: 'a' });
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'capability_not_supported' });
  });
});
