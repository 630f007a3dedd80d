import { afterEach, describe, expect, it } from 'vitest';
import { json, startFakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { decoded, listOf, startWithProvider, vectorsOf, type GatewayWithProvider } from './gateway-with-provider.ts';

let open: GatewayWithProvider | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const strict = { config: 'routing: { parameters: strict }' };
const access = { options: { region: 'eu-west-1', access_key_id: 'AKID', secret_access_key: 'secret' } };

describe('Gemini', () => {
  it('receives batches, and its reported tokens are used', async () => {
    const answer = { embeddings: [{ values: [1, 0.5] }], usageMetadata: { promptTokenCount: 7 } };
    open = await startWithProvider('gemini', json(200, answer));
    const model = 'gemini/gemini-embedding-001';
    const result = await open.post('/embeddings', {
      model,
      input: 'Hello',
      dimensions: 2,
      input_type: 'query',
      user: 'u',
    });
    expect(result.status).toBe(200);
    expect(result.headers.get('x-sluice-dropped-params')).toBe('user');
    expect(vectorsOf(result)).toEqual([[1, 0.5]]);
    expect(result.json.usage).toEqual({ prompt_tokens: 7, total_tokens: 7 });
    expect(open.upstream.requests[0]?.path).toBe('/v1/models/gemini-embedding-001:batchEmbedContents');
    expect(open.upstream.requests[0]?.json).toEqual({
      requests: [
        {
          model: 'models/gemini-embedding-001',
          content: { parts: [{ text: 'Hello' }] },
          outputDimensionality: 2,
          taskType: 'RETRIEVAL_QUERY',
        },
      ],
    });
    // 0.15 USD per million tokens: 150 nano-USD each.
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ cost_nano: '1050', estimated: false });
  });

  it('has estimated tokens where it reports none', async () => {
    open = await startWithProvider('gemini', json(200, { embeddings: [{ values: [1] }, { values: [2] }] }));
    // 40 and 17 bytes: 10 and 5 tokens of 4 bytes, rounded up.
    const input = ['a'.repeat(40), 'b'.repeat(17)];
    const result = await open.post('/embeddings', { model: 'gemini/gemini-embedding-001', input });
    expect(result.json.usage).toEqual({ prompt_tokens: 15, total_tokens: 15, estimated: true });
    const [record] = await open.gateway.settledCount(1);
    expect(record).toMatchObject({ input_tokens: 15, estimated: true, cost_nano: '2250' });
  });

  it.each([
    ['no list', { embedding: { values: [1] } }],
    ['no numbers', { embeddings: [{ values: ['1'] }] }],
    ['an empty vector', { embeddings: [{ values: [] }] }],
    ['no JSON object', [1]],
  ])('fails with %s', async (_what, answer) => {
    open = await startWithProvider('gemini', json(200, answer));
    const result = await open.post('/embeddings', { model: 'gemini/gemini-embedding-001', input: 'a' });
    expect(result.status).toBe(502);
    expect(result.json.error).toMatchObject({ code: 'provider_invalid_response' });
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ status: 'failed', cost_nano: '0' });
  });
});

describe('Amazon Bedrock', () => {
  it('receives one request per text where its model accepts one', async () => {
    const script: Script = (request, response) =>
      json(200, { embedding: [String(request.json.inputText).length], inputTextTokenCount: 4 })(request, response);
    open = await startWithProvider('amazon-bedrock', script, access);
    const model = 'amazon-bedrock/amazon.titan-embed-text-v2:0';
    const result = await open.post('/embeddings', { model, input: ['a', 'bb', 'ccc'], dimensions: 256 });
    expect(result.status).toBe(200);
    expect(vectorsOf(result)).toEqual([[1], [2], [3]]);
    expect(open.upstream.requests.map(({ json: sent }) => sent.dimensions)).toEqual([256, 256, 256]);
    // 12 tokens at 0.02 USD per million: 20 nano-USD each.
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ input_tokens: 12, cost_nano: '240' });
  });

  it('receives the purpose of the texts, and has estimated tokens where it reports none', async () => {
    open = await startWithProvider('amazon-bedrock', json(200, { embeddings: { float: [[1], [2]] } }), access);
    const asked = { model: 'amazon-bedrock/us.cohere.embed-v4:0', input: ['aaaa', 'bbbb'] };
    const result = await open.post('/embeddings', { ...asked, dimensions: 512, input_type: 'search_document' });
    expect(result.json.usage).toEqual({ prompt_tokens: 2, total_tokens: 2, estimated: true });
    expect(open.upstream.requests[0]?.json).toEqual({
      input_type: 'search_document',
      texts: ['aaaa', 'bbbb'],
      output_dimension: 512,
    });
  });

  it('rejects dimensions that its model does not support, by the parameter’s name', async () => {
    open = await startWithProvider('amazon-bedrock', json(200, {}), access);
    const model = 'amazon-bedrock/amazon.titan-embed-text-v2:0';
    const result = await open.post('/embeddings', { model, input: 'a', dimensions: 300 });
    expect(result.status).toBe(400);
    expect(result.json.error).toMatchObject({ code: 'unsupported_value', param: 'dimensions' });
    expect(open.upstream.requests).toEqual([]);
  });
});

describe('an OpenAI-compatible server', () => {
  const vectors = [
    [0.5, -0.25],
    [1, 2],
  ];
  const usage = { prompt_tokens: 3, total_tokens: 3 };
  const base64 = vectors.map((vector) => Buffer.from(new Float32Array(vector).buffer).toString('base64'));
  const at = (list: readonly unknown[]) => (input: unknown) => list[input === 'a' ? 0 : 1];

  it('that returns numbers instead of base64 is converted', async () => {
    open = await startWithProvider('ollama', json(200, listOf(['a', 'b'], at(vectors), usage)));
    const asked = { model: 'ollama/nomic', input: ['a', 'b'], encoding_format: 'base64' };
    const result = await open.post('/embeddings', asked);
    expect(open.upstream.requests[0]?.json.encoding_format).toBe('base64');
    expect(result.json.data?.map(({ embedding }) => embedding)).toEqual(base64);
    expect(result.json.model).toBe('its-model');
    expect(decoded(base64[0] ?? '')).toEqual(vectors[0]);
  });

  it('that returns base64 instead of numbers is converted', async () => {
    open = await startWithProvider('ollama', json(200, listOf(['a', 'b'], at(base64), usage)));
    const result = await open.post('/embeddings', { model: 'ollama/nomic', input: ['a', 'b'] });
    expect(result.json.data?.map(({ embedding }) => embedding)).toEqual(vectors);
    expect(result.json.usage).toEqual(usage);
  });

  it('that returns another order is sorted by index', async () => {
    const list = listOf(['a', 'b'], at(vectors), { total_tokens: 9 });
    const data = 'data' in list && Array.isArray(list.data) ? list.data.toReversed() : [];
    open = await startWithProvider('ollama', json(200, { ...list, data }));
    const result = await open.post('/embeddings', { model: 'ollama/nomic', input: ['a', 'b'] });
    expect(vectorsOf(result)).toEqual(vectors);
    expect(result.json.usage).toEqual({ prompt_tokens: 9, total_tokens: 9 });
  });

  it.each([undefined, { prompt_tokens: -1 }, { prompt_tokens: 'many' }, null])(
    'is estimated where its usage is %o',
    async (result) => {
      open = await startWithProvider('ollama', json(200, listOf(['a', 'b'], at(vectors), result)));
      const answer = await open.post('/embeddings', { model: 'ollama/nomic', input: ['aaaaa', 'b'] });
      expect(answer.json.usage).toEqual({ prompt_tokens: 3, total_tokens: 3, estimated: true });
      expect((await open.gateway.settledCount(1))[0]).toMatchObject({ input_tokens: 3, estimated: true });
    },
  );

  it.each([
    ['base64 of no float32', () => 'AAA='],
    ['base64 of no number', () => 'AADAfw=='],
    ['null', () => null],
  ])('fails with %s', async (_what, vector) => {
    open = await startWithProvider('ollama', json(200, listOf(['a'], vector, usage)));
    const result = await open.post('/embeddings', { model: 'ollama/nomic', input: 'a' });
    expect(result.status).toBe(502);
    expect(result.json.error).toMatchObject({ code: 'provider_invalid_response' });
  });

  it('receives token inputs unchanged', async () => {
    open = await startWithProvider('openai', json(200, listOf(['a'], at(vectors), usage)));
    const result = await open.post('/embeddings', { model: 'openai/text-embedding-3-small', input: [1, 2, 3] });
    expect(result.status).toBe(200);
    expect(open.upstream.requests[0]?.json.input).toEqual([1, 2, 3]);
  });
});

/** A request with all parameters. */
const everything = { input: 'a', encoding_format: 'base64', dimensions: 8, user: 'u', input_type: 'document' };

describe('the supported parameters', () => {
  it.each([
    ['openai', { input: 'a', encoding_format: 'base64', dimensions: 8, user: 'u' }, 'input_type'],
    ['mistral', { input: 'a', output_dimension: 8 }, 'user, input_type'],
    ['voyage', { input: 'a', output_dimension: 8, input_type: 'document' }, 'user'],
    ['jina', { input: 'a', dimensions: 8, task: 'retrieval.passage' }, 'user'],
    ['together', { input: 'a' }, 'dimensions, user, input_type'],
    ['fireworks', { input: 'a', dimensions: 8 }, 'user, input_type'],
    ['deepinfra', { input: 'a', dimensions: 8, user: 'u' }, 'input_type'],
    ['nvidia', { input: 'a', encoding_format: 'base64', dimensions: 8, user: 'u', input_type: 'passage' }, null],
    ['alibaba', { input: 'a', dimensions: 8 }, 'user, input_type'],
    ['zai', { input: 'a', dimensions: 8 }, 'user, input_type'],
    ['sambanova', { input: 'a' }, 'dimensions, user, input_type'],
    ['nebius', { input: 'a', dimensions: 8, user: 'u' }, 'input_type'],
    ['openrouter', { ...everything, input_type: 'search_document' }, null],
    ['vllm', { input: 'a', encoding_format: 'base64', dimensions: 8, user: 'u' }, 'input_type'],
  ])('are sent to %s, and the others are reported as dropped', async (provider, sent, dropped) => {
    open = await startWithProvider(
      provider,
      json(
        200,
        listOf(['a'], () => [1, 2], { prompt_tokens: 1, total_tokens: 1 }),
      ),
    );
    const result = await open.post('/embeddings', { model: `${provider}/some-model`, ...everything });
    expect(result.status).toBe(200);
    expect(result.json.data?.[0]?.embedding).toBe('AACAPwAAAEA=');
    expect(open.upstream.requests[0]?.json).toEqual({ model: 'some-model', ...sent });
    expect(result.headers.get('x-sluice-dropped-params')).toBe(dropped);
  });

  it.each([
    ['mistral', { user: 'u' }, 'user'],
    ['together', { dimensions: 8 }, 'dimensions'],
    ['openai', { input_type: 'query' }, 'input_type'],
    ['voyage', { input_type: 'clustering' }, 'input_type'],
    ['gemini', { user: 'u' }, 'user'],
    ['cohere', { user: 'u' }, 'user'],
    ['sandbox', { input_type: 'query' }, 'input_type'],
  ])('of %s do not include %o, which is rejected in strict mode', async (provider, given, param) => {
    open = await startWithProvider(provider === 'sandbox' ? 'openai' : provider, json(200, {}), {}, strict);
    const model = provider === 'sandbox' ? 'sandbox/embedding' : `${provider}/some-model`;
    const result = await open.post('/embeddings', { model, input: 'a', ...given });
    expect(result.status).toBe(400);
    expect(result.json.error).toMatchObject({ code: 'unsupported_parameter', param });
    expect(open.upstream.requests).toEqual([]);
  });

  it('are not checked for default values', async () => {
    const answer = listOf(['a'], () => [1], { prompt_tokens: 1, total_tokens: 1 });
    open = await startWithProvider('together', json(200, answer), {}, strict);
    const nothing = { dimensions: null, user: null, input_type: null, encoding_format: null };
    const result = await open.post('/embeddings', { model: 'together/some-model', input: 'a', ...nothing });
    expect(result.status).toBe(200);
    expect(open.upstream.requests[0]?.json).toEqual({ model: 'some-model', input: 'a' });
  });
});

describe('a provider without chat', () => {
  it.each(['voyage', 'jina'])('says so: %s', async (provider) => {
    open = await startWithProvider(provider, json(200, {}));
    const messages = [{ role: 'user', content: 'Hello' }];
    const result = await open.post('/chat/completions', { model: `${provider}/some-model`, messages });
    expect(result.status).toBe(400);
    expect(result.json.error).toMatchObject({ code: 'capability_not_supported' });
    expect(open.upstream.requests).toEqual([]);
  });
});

describe('Azure', () => {
  it.each([
    [{}, '/v1/embeddings'],
    [{ api_version: '2024-10-21' }, '/v1/deployments/mine/embeddings?api-version=2024-10-21'],
  ])('is called at its deployment path, with %o', async (options, path) => {
    const answer = listOf(['a'], () => [1], { prompt_tokens: 1, total_tokens: 1 });
    open = await startWithProvider('azure-openai', json(200, answer), { options });
    const result = await open.post('/embeddings', { model: 'azure-openai/mine', input: 'a' });
    expect(result.status).toBe(200);
    expect(open.upstream.requests[0]?.path).toBe(path);
  });
});

describe('Jina', () => {
  it('is billed by tokens', async () => {
    const answer = listOf(['a'], () => [1], { prompt_tokens: 50, total_tokens: 50 });
    open = await startWithProvider('jina', json(200, answer));
    const result = await open.post('/embeddings', { model: 'jina/jina-embeddings-v2-base-en', input: 'a' });
    expect(result.status).toBe(200);
    // 0.02 USD per million tokens: 20 nano-USD each.
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ input_tokens: 50, cost_nano: '1000' });
  });
});

describe('a route with two providers', () => {
  it('sends the complete list to the second provider when one part fails at the first', async () => {
    const input = Array.from({ length: 150 }, (_, at) => `text ${at}`);
    const usage = { prompt_tokens: 150, total_tokens: 150 };
    const upstream = await startFakeProvider(
      json(
        200,
        listOf(input, () => [1], usage),
      ),
    );
    const config = 'routes:\n  embed:\n    targets: [gemini/gemini-embedding-001, openai/text-embedding-3-small]\n';
    const script: Script = (request, response) =>
      request.body.includes('text 149')
        ? json(503, { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } })(request, response)
        : undefined;
    open = await startWithProvider('gemini', script, {}, { config, providers: { openai: upstream.url } });
    const result = await open.post('/embeddings', { model: 'embed', input });
    await upstream.close();
    expect(result.status).toBe(200);
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]?.json).toEqual({ model: 'text-embedding-3-small', input });
    // 150 tokens at 20 nano-USD, and nothing for the failed calls.
    const [record] = await open.gateway.settledCount(1);
    expect(record).toMatchObject({ model: 'openai/text-embedding-3-small', cost_nano: '3000', input_tokens: 150 });
  });
});
