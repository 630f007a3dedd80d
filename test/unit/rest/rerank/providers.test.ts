import { afterEach, describe, expect, it } from 'vitest';
import type { ConnectionSettings } from '../../../../src/providers/contract.ts';
import { json, refusal } from '../../../harness/fake-provider.ts';
import { secret } from '../../../harness/gateway.ts';
import {
  recorded,
  startWithProvider,
  type GatewayWithProvider,
} from '../../providers/embeddings/gateway-with-provider.ts';

let open: GatewayWithProvider | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const query = 'a cat';
const documents = ['the dog', 'the cat', { text: 'a cat' }];
const texts = ['the dog', 'the cat', 'a cat'];
const ranked = [
  { index: 2, relevance_score: 0.9 },
  { index: 0, relevance_score: 0.1 },
];
const access = { options: { region: 'eu-west-1', access_key_id: 'AKID', secret_access_key: 'secret' } };
const many = (count: number, text = 'x'): string[] => Array<string>(count).fill(text);

interface Served {
  readonly provider: string;
  readonly path: string;
  /** As documented by the provider. */
  readonly answer: object;
  /** The parameters it receives for a request with `top_n`. */
  readonly asks: object;
  readonly usage: object;
  readonly settings?: Partial<ConnectionSettings>;
}

const usage = { prompt_tokens: 12, total_tokens: 12 };
const jinas = { model: 'm', object: 'list', usage: { total_tokens: 12 }, results: ranked };
const likeJina = { model: 'm', query, documents: texts, top_n: 2 };

const served: readonly Served[] = [
  { provider: 'jina', path: '/v1/rerank', answer: jinas, asks: likeJina, usage },
  { provider: 'vllm', path: '/v1/rerank', answer: { id: 'rerank-1', ...jinas }, asks: likeJina, usage },
  { provider: 'llama-cpp', path: '/v1/rerank', answer: jinas, asks: likeJina, usage },
  { provider: 'localai', path: '/v1/rerank', answer: jinas, asks: likeJina, usage },
  { provider: 'any-other-server', path: '/v1/rerank', answer: jinas, asks: likeJina, usage },
  {
    provider: 'fireworks',
    path: '/v1/rerank',
    answer: { object: 'list', model: 'm', data: ranked, usage: { prompt_tokens: 12, total_tokens: 12 } },
    asks: likeJina,
    usage,
  },
  {
    provider: 'voyage',
    path: '/v1/rerank',
    answer: { object: 'list', data: ranked, model: 'm', usage: { total_tokens: 12 } },
    asks: { model: 'm', query, documents: texts, top_k: 2 },
    usage,
  },
  {
    provider: 'openrouter',
    path: '/v1/rerank',
    answer: { id: 'gen-1', model: 'm', results: ranked, usage: { search_units: 1, total_tokens: 12, cost: 0.001 } },
    asks: likeJina,
    usage,
  },
  {
    provider: 'deepinfra',
    path: '/v1/inference/m',
    answer: { scores: [0.1, 0.05, 0.9], input_tokens: 12, request_id: null },
    asks: { queries: [query, query, query], documents: texts },
    usage,
    settings: { baseUrl: '/openai' },
  },
];

describe.each(served)('$provider', ({ provider, path, answer, asks, usage: used, settings }) => {
  it('ranks, and is metered by its tokens', async () => {
    open = await staged(provider, answer, settings);
    const told = await open.post('/rerank', { model: `${provider}/m`, query, documents, top_n: 2 });
    expect(told.status).toBe(200);
    expect(told.json).toMatchObject({ object: 'list', model: 'm', results: ranked, usage: used });
    expect(told.json.results).toHaveLength(2);
    expect(told.json.usage).toEqual(used);
    expect(open.upstream.requests[0]?.path).toBe(path);
    expect(open.upstream.requests[0]?.json).toEqual(asks);
    const [record] = await open.gateway.settledCount(1);
    expect(record).toMatchObject({ capability: 'rerank', status: 'succeeded', input_tokens: 12, estimated: false });
  });
});

/** DeepInfra's base URL ends in `/openai`, but its rerankers are not below it. */
async function staged(
  provider: string,
  answer: unknown,
  settings: Partial<ConnectionSettings> = {},
): Promise<GatewayWithProvider> {
  if (settings.baseUrl !== '/openai') return startWithProvider(provider, json(200, answer), settings);
  const other = await startWithProvider(provider, json(200, answer));
  const { upstream } = other;
  const own = await startWithProvider(provider, json(200, {}), { ...settings, baseUrl: `${upstream.url}/openai` });
  return {
    ...own,
    upstream,
    close: async () => {
      await own.close();
      await other.close();
    },
  };
}

describe('Together’s recorded ranking', () => {
  it('is returned with its tokens and the documents of the request', async () => {
    open = await startWithProvider('together', json(200, recorded('together/togetherai-reranking.1.json')));
    const asked = { model: 'together/Salesforce/Llama-Rank-v1', query, documents: many(6), return_documents: true };
    const told = await open.post('/rerank', asked);
    expect(told.json).toMatchObject({
      id: 'oGs6Zt9-62bZhn-99529372487b1b0a',
      results: [
        { index: 0, relevance_score: 0.6475887154399037, document: { text: 'x' } },
        { index: 5, relevance_score: 0.6323295373206566, document: { text: 'x' } },
      ],
      usage: { prompt_tokens: 2_966, total_tokens: 2_966 },
    });
    const [record] = await open.gateway.settledCount(1);
    expect(record).toMatchObject({ input_tokens: 2_966, output_tokens: 0, estimated: false });
  });
});

describe('Cohere', () => {
  const answer = (searches: number): object => ({
    id: 'the-id',
    results: ranked,
    meta: { api_version: { version: '2' }, billed_units: { search_units: searches } },
  });

  it('is billed per search', async () => {
    open = await startWithProvider('cohere', json(200, answer(3)));
    const asked = { model: 'cohere/rerank-v3.5', query, documents: many(250), top_n: 2, max_tokens_per_doc: 512 };
    const told = await open.post('/rerank', { ...asked, priority: 1 });
    expect(told.json).toMatchObject({
      id: 'the-id',
      results: ranked,
      usage: { total_tokens: 0 },
      meta: { billed_units: { search_units: 3 } },
    });
    expect(open.upstream.requests[0]?.path).toBe('/v1/rerank');
    expect(open.upstream.requests[0]?.json).toMatchObject({
      model: 'rerank-v3.5',
      top_n: 2,
      max_tokens_per_doc: 512,
      priority: 1,
    });
    const [record] = await open.gateway.settledCount(1);
    // 3 searches of 0.002 USD.
    expect(record).toMatchObject({ cost_nano: '6000000', input_tokens: 0, estimated: false });
    expect(told.headers.get('x-sluice-cost')).toBe('0.006');
  });

  it('is billed for one search for a short list', async () => {
    open = await startWithProvider('cohere', json(200, answer(1)));
    await open.post('/rerank', { model: 'cohere/rerank-v4.0-pro', query, documents });
    // 0.0025 USD.
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ cost_nano: '2500000' });
  });

  it('is not billed for a rejection', async () => {
    open = await startWithProvider('cohere', json(400, { message: 'invalid request: too many documents' }));
    const told = await open.post('/rerank', { model: 'cohere/rerank-v3.5', query, documents });
    expect(told.status).toBe(400);
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ status: 'failed', cost_nano: '0' });
  });

  it('is billed by the length of its list if the client disconnects', async () => {
    open = await startWithProvider('cohere', () => undefined);
    const leaving = new AbortController();
    const asked = fetch(`${open.gateway.url}/v1/rerank`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'cohere/rerank-v3.5', query, documents: many(101) }),
      signal: leaving.signal,
    });
    const { aborted } = await open.upstream.nextRequest();
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await aborted;
    // 2 searches of 0.002 USD.
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ status: 'aborted', cost_nano: '4000000' });
  });
});

describe('Amazon Bedrock', () => {
  const answer = { results: ranked.map(({ index, relevance_score: relevanceScore }) => ({ index, relevanceScore })) };
  const model = 'amazon-bedrock/amazon.rerank-v1:0';

  it.each([
    // 250 documents are 3 searches, each of 0.001 USD.
    ['many documents', many(250), 3, '3000000'],
    // 40 documents of 3,000 tokens and the query's are 7 pieces of 500 each: 280 pieces.
    ['long documents', many(40, 'x'.repeat(12_000)), 3, '3000000'],
    ['few documents', many(3), 1, '1000000'],
  ])('reports no searches: they are estimated for %s', async (_what, list, searches, cost) => {
    open = await startWithProvider('amazon-bedrock', json(200, answer), access);
    const told = await open.post('/rerank', { model, query, documents: list, top_n: 2 });
    expect(told.json).toMatchObject({
      results: ranked,
      usage: { estimated: true },
      meta: { billed_units: { search_units: searches } },
    });
    expect(open.upstream.requests[0]?.path).toBe('/v1/rerank');
    expect(open.upstream.requests[0]?.json).toMatchObject({
      queries: [{ type: 'TEXT', textQuery: { text: query } }],
      rerankingConfiguration: { bedrockRerankingConfiguration: { numberOfResults: 2 } },
    });
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ cost_nano: cost, estimated: true });
  });
});

describe('a ranking', () => {
  it('is sorted and truncated, whatever the provider returns', async () => {
    const results = [0.2, 0.7, 0.5].map((score, index) => ({ index, relevance_score: score }));
    open = await startWithProvider('vllm', json(200, { results, usage: { total_tokens: 1 } }));
    const told = await open.post('/rerank', { model: 'vllm/m', query, documents, top_n: 2 });
    expect(told.json.results).toEqual([results[1], results[2]]);
  });

  it('without usage is estimated', async () => {
    open = await startWithProvider('vllm', json(200, { results: ranked }));
    // Per document its tokens and those of the query: 2 + 1, of 4 bytes each, rounded up.
    const told = await open.post('/rerank', { model: 'vllm/m', query: 'abcd', documents: ['abcdefgh', 'ab', 'abc'] });
    expect(told.json.usage).toEqual({ prompt_tokens: 7, total_tokens: 7, estimated: true });
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ input_tokens: 7, estimated: true });
  });

  it.each([
    ['of no list', { data: 1 }],
    ['of a document that was not sent', { results: [{ index: 3, relevance_score: 1 }] }],
    ['of a document before the first', { results: [{ index: -1, relevance_score: 1 }] }],
    ['of half a document', { results: [{ index: 0.5, relevance_score: 1 }] }],
    ['of one document twice', { results: [ranked[0], ranked[0]] }],
    ['without scores', { results: [{ index: 0 }] }],
    ['of no objects', { results: [1] }],
  ])('%s is reported as a failure of the provider', async (_what, answer) => {
    open = await startWithProvider('vllm', json(200, { usage: { total_tokens: 1 }, ...answer }));
    const told = await open.post('/rerank', { model: 'vllm/m', query, documents });
    expect(told.status).toBe(502);
    expect(told.json.error).toMatchObject({ code: 'provider_invalid_response' });
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ status: 'failed', cost_nano: '0' });
  });

  it.each([
    ['jina', 'max_tokens_per_doc', 5],
    ['jina', 'truncation', false],
    ['voyage', 'priority', 0],
    ['cohere', 'truncation', true],
    ['amazon-bedrock', 'max_tokens_per_doc', 5],
    ['deepinfra', 'priority', 3],
  ])('of %s does not support %s: it is refused, or dropped and listed', async (provider, name, value) => {
    const settings = provider === 'amazon-bedrock' ? access : {};
    const answers = { results: ranked.map((item) => ({ ...item, relevanceScore: 1 })), scores: [1, 2, 3], meta: {} };
    open = await startWithProvider(provider, json(200, answers), settings, {
      config: 'routing: { parameters: strict }',
    });
    const asked = { model: `${provider}/m`, query, documents, [name]: value };
    const refused = await open.post('/rerank', asked);
    expect(refused.status).toBe(400);
    expect(refused.json.error).toMatchObject({ code: 'unsupported_parameter', param: name });
    expect(open.upstream.requests).toEqual([]);
    await open.close();
    open = await startWithProvider(provider, json(200, answers), settings);
    const told = await open.post('/rerank', asked);
    expect(told.status).toBe(200);
    expect(told.headers.get('x-sluice-dropped-params')).toBe(name);
    expect(open.upstream.requests[0]?.json).not.toHaveProperty(name);
  });

  it('of Voyage can be configured to refuse long documents', async () => {
    open = await startWithProvider('voyage', json(200, { data: ranked, usage: { total_tokens: 1 } }));
    await open.post('/rerank', { model: 'voyage/rerank-2.5', query, documents, truncation: false });
    expect(open.upstream.requests[0]?.json).toMatchObject({ truncation: false });
  });

  it('is cached and returned at no cost if the cache is enabled', async () => {
    open = await startWithProvider('vllm', json(200, jinas), {}, { config: 'routing: { cache: 60 }' });
    const asked = { model: 'vllm/m', query, documents };
    const first = await open.post('/rerank', asked);
    const second = await open.post('/rerank', asked);
    expect([first, second].map(({ headers }) => headers.get('x-sluice-cache'))).toEqual(['miss', 'hit']);
    expect(second.json).toEqual(first.json);
    expect(open.upstream.requests).toHaveLength(1);
    await open.post('/rerank', { ...asked, query: 'another' });
    expect(open.upstream.requests).toHaveLength(2);
  });

  it('that a provider rejects returns its error', async () => {
    open = await startWithProvider('vllm', refusal(400, 'no reranker is loaded'));
    const told = await open.post('/rerank', { model: 'vllm/m', query, documents });
    expect(told.status).toBe(400);
    expect(told.json.error).toMatchObject({ message: expect.stringContaining('no reranker is loaded') });
  });
});
