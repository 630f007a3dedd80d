import { createCohere } from '@ai-sdk/cohere';
import { CohereClient, CohereClientV2 } from 'cohere-ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json } from '../../../harness/fake-provider.ts';
import { secret } from '../../../harness/gateway.ts';
import { startWithProvider, type GatewayWithProvider } from '../../providers/embeddings/gateway-with-provider.ts';

const documents = ['quarterly revenue grew', 'the cat sat on the mat', { text: 'a cat' }, 'the dog ran'];
const model = 'sandbox/rerank';

let open: GatewayWithProvider;
beforeEach(async () => {
  open = await startWithProvider('openai', json(200, {}));
});
afterEach(async () => {
  await open.close();
});

describe('the sandbox', () => {
  it('ranks by shared words, the same at every call, and is never billed', async () => {
    const first = await open.post('/rerank', { model, query: 'a cat', documents });
    const second = await open.post('/rerank', { model, query: 'a cat', documents });
    expect(first.status).toBe(200);
    expect(first.json).toMatchObject({ object: 'list', model: 'rerank' });
    expect(first.json.results?.map(({ index }) => index)).toEqual([2, 1, 0, 3]);
    const scores = first.json.results?.map(({ relevance_score: score }) => score) ?? [];
    expect(scores[0]).toBeCloseTo(1, 9);
    // One of two query words, in a text of five different words.
    expect(scores[1]).toBeCloseTo(1 / Math.sqrt(10), 9);
    expect(scores.slice(2)).toEqual([0, 0]);
    expect(second.json.results).toEqual(first.json.results);
    const [record] = await open.gateway.settledCount(2);
    expect(record).toMatchObject({
      capability: 'rerank',
      model,
      status: 'succeeded',
      cost_nano: '0',
      estimated: false,
    });
  });

  it('returns the top results, with their texts if requested', async () => {
    const asked = { model, query: 'a cat', documents, top_n: 2, return_documents: true };
    const { json: answer } = await open.post('/rerank', asked);
    expect(answer.results).toMatchObject([
      { index: 2, document: { text: 'a cat' } },
      { index: 1, document: { text: 'the cat sat on the mat' } },
    ]);
    const plain = await open.post('/rerank', { ...asked, return_documents: false, top_n: 100 });
    expect(plain.json.results).toHaveLength(4);
    expect(plain.json.results?.[0]).not.toHaveProperty('document');
  });

  it('accepts words of any script, and texts without words', async () => {
    const asked = { model, query: 'Größe', documents: ['…', 'größe', '猫 が 好き'] };
    const { json: answer } = await open.post('/rerank', asked);
    expect(answer.results?.[0]).toMatchObject({ index: 1, relevance_score: 1 });
  });

  it('is listed with its capability', async () => {
    const answer = await fetch(`${open.gateway.url}/v1/models/sandbox/rerank`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(await answer.json()).toMatchObject({ id: model, capabilities: ['rerank'] });
  });

  it('works with the AI SDK’s Cohere client', async () => {
    const cohere = createCohere({ apiKey: secret, baseURL: `${open.gateway.url}/v1` });
    const texts = { type: 'text' as const, values: ['the dog ran', 'a cat'] };
    const told = await cohere.rerankingModel(model).doRerank({ query: 'a cat', documents: texts, topN: 1 });
    expect(told.ranking).toEqual([{ index: 1, relevanceScore: 1 }]);
    expect(told.response?.id).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('Cohere’s client', () => {
  const client = (token = secret): CohereClientV2 =>
    new CohereClientV2({ token, environment: open.gateway.url, maxRetries: 0 });

  it('ranks by POST /v2/rerank', async () => {
    const { data, rawResponse } = await client()
      .rerank({ model, query: 'a cat', documents: ['the dog ran', 'a cat'], topN: 1, maxTokensPerDoc: 512 })
      .withRawResponse();
    expect(data.results).toEqual([{ index: 1, relevanceScore: 1 }]);
    expect(data.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(rawResponse.headers.get('x-ratelimit-limit-requests')).not.toBeNull();
    const [record] = await open.gateway.settledCount(1);
    expect(record).toMatchObject({ capability: 'rerank', model, status: 'succeeded' });
  });

  it('receives the reason of a rejection', async () => {
    const asked = { query: 'a cat', documents: ['a cat'] };
    await expect(client().rerank({ model, ...asked, topN: 0 })).rejects.toMatchObject({
      statusCode: 400,
      body: { message: expect.stringContaining("Invalid 'top_n'"), error: { code: 'integer_below_min_value' } },
    });
    await expect(client('sk-sluice-wrong').rerank({ model, ...asked })).rejects.toMatchObject({
      statusCode: 401,
      body: { message: expect.stringContaining('Incorrect API key') },
    });
    await expect(client().embed({ model, inputType: 'search_query', texts: ['a'] })).rejects.toMatchObject({
      statusCode: 404,
      body: { error: { code: 'unknown_url' } },
    });
  });

  it('version 1 ranks by POST /v1/rerank', async () => {
    const first = new CohereClient({ token: secret, environment: open.gateway.url, maxRetries: 0 });
    const answer = await first.rerank({ model, query: 'a cat', documents: ['a dog', 'a cat'], returnDocuments: true });
    expect(answer.results[0]).toMatchObject({ index: 1, document: { text: 'a cat' } });
  });
});

const query = 'a cat';

describe('a request', () => {
  it.each([
    ['no model', { query, documents, model: undefined }, null, null],
    ['no query', { documents }, 'missing_required_parameter', 'query'],
    ['an empty query', { query: '', documents }, 'string_below_min_length', 'query'],
    ['a query that is a list', { query: ['a'], documents }, 'invalid_type', 'query'],
    ['no documents', { query }, 'missing_required_parameter', 'documents'],
    ['no document', { query, documents: [] }, 'empty_array', 'documents'],
    ['a text for documents', { query, documents: 'a' }, 'invalid_type', 'documents'],
    ['too many documents', { query, documents: Array(10_001).fill('a') }, 'array_above_max_length', 'documents'],
    ['an empty document', { query, documents: ['a', ''] }, 'string_below_min_length', 'documents[1]'],
    [
      'a document without text',
      { query, documents: [{ title: 'a' }] },
      'missing_required_parameter',
      'documents[0].text',
    ],
    ['a document that is a number', { query, documents: [1] }, 'invalid_type', 'documents[0]'],
    ['a document whose text is none', { query, documents: [{ text: 1 }] }, 'invalid_type', 'documents[0].text'],
    ['none of the best', { query, documents, top_n: 0 }, 'integer_below_min_value', 'top_n'],
    ['half of the best', { query, documents, top_n: 1.5 }, 'invalid_type', 'top_n'],
    ['a wrong flag', { query, documents, return_documents: 'yes' }, 'invalid_type', 'return_documents'],
    ['a priority out of range', { query, documents, priority: 1_000 }, 'integer_above_max_value', 'priority'],
    ['a member that is not known', { query, documents, colour: 'red' }, 'unknown_parameter', 'colour'],
  ])('with %s is refused, and not metered', async (_what, members, code, param) => {
    const answer = await open.post('/rerank', { model, ...members });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ type: 'invalid_request_error', code, param });
    expect(open.gateway.settled()).toEqual([]);
  });

  it('with another method or without JSON is refused', async () => {
    const headers = { authorization: `Bearer ${secret}` };
    expect((await fetch(`${open.gateway.url}/v1/rerank`, { headers })).status).toBe(405);
    const text = await fetch(`${open.gateway.url}/v1/rerank`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/plain' },
      body: '{}',
    });
    expect(text.status).toBe(415);
    const cut = await fetch(`${open.gateway.url}/v1/rerank`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"model":',
    });
    expect(cut.status).toBe(400);
  });

  it.each([
    ['sandbox/embedding', 400, 'capability_not_supported'],
    ['openai/gpt-4.1-mini', 400, 'capability_not_supported'],
    ['nobody/rerank', 404, 'model_not_found'],
  ])('to %s, which does not rank, returns an error', async (other, status, code) => {
    const answer = await open.post('/rerank', { model: other, query, documents });
    expect(answer.status).toBe(status);
    expect(answer.json.error).toMatchObject({ code });
    for (const record of open.gateway.settled()) expect(record.cost_nano).toBe('0');
  });
});
