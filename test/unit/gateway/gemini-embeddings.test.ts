import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { embedMany } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { json, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { geminiEmbedding, geminiEmbeddings, geminiError } from '../../harness/gemini-schema.ts';

let upstream: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startFakeProvider();
  gateway = await startGateway({ openai: upstream.url, providers: { gemini: { baseUrl: upstream.url } } });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

function post(path: string, body: object | string): Promise<Response> {
  return fetch(`${gateway.url}/v1beta/models/${path}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': secret, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** What Google is sent. */
const batch = z.object({
  requests: z.array(
    z.object({ content: z.object({ parts: z.array(z.object({ text: z.string() })) }), title: z.string().optional() }),
  ),
});

const content = (text: string): object => ({ parts: [{ text }] });
const list = {
  object: 'list',
  model: 'm',
  data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }],
  usage: { prompt_tokens: 3, total_tokens: 3 },
};

describe('an embedding in Google’s protocol', () => {
  it('comes from a provider of another protocol, which is sent what it knows', async () => {
    upstream.answerWith(json(200, list));
    const before = upstream.requests.length;
    const body = { content: content('Hello'), task_type: 'RETRIEVAL_QUERY', outputDimensionality: 2 };
    const response = await post('openai/text-embedding-3-small:embedContent', body);
    expect(response.status).toBe(200);
    expect(geminiEmbedding.parse(await response.json())).toEqual({
      embedding: { values: [0.25, -0.5] },
      usageMetadata: { promptTokenCount: 3 },
    });
    expect(upstream.requests[before]?.json).toMatchObject({
      model: 'text-embedding-3-small',
      input: ['Hello'],
      dimensions: 2,
    });
    const settled = gateway.settled().at(-1);
    expect(settled).toMatchObject({
      capability: 'embeddings',
      model: 'openai/text-embedding-3-small',
      input_tokens: 3,
    });
  });

  it('names what only Google has', async () => {
    upstream.answerWith(json(200, list));
    const body = { content: content('Hello'), taskType: 'SEMANTIC_SIMILARITY', title: 'A title' };
    const response = await post('openai/text-embedding-3-small:embedContent', body);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-dropped-params')).toBe('task_type, title');
    expect(upstream.requests.at(-1)?.body).not.toContain('SEMANTIC');
  });

  it('reaches Google in several requests where a batch is too long for one', async () => {
    const texts = Array.from({ length: 101 }, (_, index) => `text ${index}`);
    const requests = texts.map((text, index) => ({
      content: content(text),
      ...(index !== 1 && { title: `title of ${text}` }),
    }));
    const before = upstream.requests.length;
    upstream.answerWith((request, response) => {
      const sent = batch.parse(request.json).requests;
      json(200, { embeddings: sent.map(() => ({ values: [1] })) })(request, response);
    });
    const response = await post('gemini/gemini-embedding-001:batchEmbedContents', { requests });
    expect(response.status).toBe(200);
    const sent = upstream.requests.slice(before).flatMap((request) => batch.parse(request.json).requests);
    expect(upstream.requests.length - before).toBe(2);
    const titles = new Map(sent.map(({ content: { parts }, title }) => [parts[0]?.text, title]));
    expect(titles).toEqual(new Map(texts.map((text, index) => [text, index === 1 ? undefined : `title of ${text}`])));
  });

  it('names the titles of a batch where the provider has none', async () => {
    upstream.answerWith(json(200, { ...list, data: [...list.data, { ...list.data[0], index: 1 }] }));
    const requests = ['a', 'b'].map((text) => ({ content: content(text), title: `title of ${text}` }));
    const response = await post('openai/text-embedding-3-small:batchEmbedContents', { requests });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-dropped-params')).toBe('title');
    expect(upstream.requests.at(-1)?.body).not.toContain('title');
  });

  it('of a long batch is refused where its requests differ', async () => {
    const requests = Array.from({ length: 101 }, (_, index) => ({
      content: content('x'),
      taskType: index === 7 ? 'CLUSTERING' : 'CLASSIFICATION',
    }));
    const response = await post('gemini/gemini-embedding-001:batchEmbedContents', { requests });
    expect(response.status).toBe(400);
    expect(geminiError.parse(await response.json()).error.message).toContain('requests[7].taskType');
  });

  it('is one of several, through the AI SDK’s provider for Google', async () => {
    const provider = createGoogleGenerativeAI({ apiKey: secret, baseURL: `${gateway.url}/v1beta` });
    const { embeddings } = await embedMany({
      model: provider.textEmbeddingModel('sandbox/embedding'),
      values: ['a', 'b', 'c'],
      maxRetries: 0,
    });
    expect(embeddings).toHaveLength(3);
    expect(new Set(embeddings.map((values) => JSON.stringify(values))).size).toBe(3);
  });

  it('is one of several of the same order', async () => {
    const requests = ['a', 'b'].map((text) => ({ model: 'models/x', content: content(text) }));
    const response = await post('sandbox/embedding:batchEmbedContents', { requests });
    const { embeddings } = geminiEmbeddings.parse(await response.json());
    const single = geminiEmbedding.parse(
      await (await post('sandbox/embedding:embedContent', { content: content('b') })).json(),
    );
    expect(embeddings[1]).toEqual(single.embedding);
  });

  it.each([
    ['embedContent', {}, 'content'],
    ['embedContent', { content: 'Hello' }, 'content'],
    ['embedContent', { content: { parts: [] } }, 'content.parts'],
    ['embedContent', { content: { parts: [{ inlineData: {} }] } }, 'content.parts[0].text'],
    ['embedContent', { content: content('x'), outputDimensionality: 0 }, 'outputDimensionality'],
    ['batchEmbedContents', { requests: [] }, 'requests'],
    [
      'batchEmbedContents',
      { requests: [{ content: content('x'), taskType: 'CLUSTERING' }, { content: content('y') }] },
      'requests[1].taskType',
    ],
  ])('%s of %j is refused, naming %s', async (method, body, param) => {
    const response = await post(`sandbox/embedding:${method}`, body);
    expect(response.status).toBe(400);
    expect(geminiError.parse(await response.json()).error.message).toContain(param);
  });

  it('is not made by a model of chats', async () => {
    const response = await post('anthropic/claude:embedContent', { content: content('x') });
    expect(response.status).toBe(404);
    geminiError.parse(await response.json());
  });

  it('is offered by the models of embeddings', async () => {
    const response = await fetch(`${gateway.url}/v1beta/models/sandbox/embedding`, {
      headers: { 'x-goog-api-key': secret },
    });
    expect(await response.json()).toMatchObject({
      supportedGenerationMethods: ['embedContent', 'batchEmbedContents'],
    });
  });
});

describe('a request that Google serves', () => {
  /** As Google formats its responses. */
  const answer = JSON.stringify({ embedding: { values: [0.1, -2e-5] }, newMember: { a: 1 } }, null, 2);
  const several = JSON.stringify({ embeddings: [{ values: [1] }, { values: [2] }] }, null, 2);
  const withUsage = (text: string): string =>
    text.replace(/\n\}$/, ',\n  "usageMetadata": {\n    "promptTokenCount": 9,\n    "promptTokenDetails": []\n  }\n}');
  const one =
    '{"content": {"parts":[{"text":"é"}, {"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}, "x":{"y":1.0}';

  it('arrives byte for byte, and so does the response', async () => {
    upstream.answerWith(json(200, withUsage(answer)));
    const body = `${one}, "taskType":"FACT_VERIFICATION","title":"T","outputDimensionality":768,"autoTruncate":true}`;
    const response = await post('gemini/gemini-embedding-2:embedContent', body);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(withUsage(answer));
    expect(response.headers.get('x-sluice-dropped-params')).toBeNull();
    const received = upstream.requests.at(-1);
    expect(received?.path).toBe('/v1/models/gemini-embedding-2:embedContent');
    expect(received?.body).toBe(body);
    expect(received?.headers['x-goog-api-key']).toBe('provider-key');
    expect(gateway.settled().at(-1)).toMatchObject({ input_tokens: 9, estimated: false, status: 'succeeded' });
  });

  it('has the settings of each request of a batch', async () => {
    upstream.answerWith(json(200, withUsage(several)));
    const model = '"model":"models/gemini-embedding-001"';
    const body = `{ "requests" : [{${model},"content":{"parts":[{"text":"a"}]},"taskType":"RETRIEVAL_QUERY"},
      {"content":{"parts":[{"text":"b, [c"}]},${model}, "task_type":"CLUSTERING","outputDimensionality":2,"title":"T"}],"more":[1,{}]}`;
    const response = await post('gemini/gemini-embedding-001:batchEmbedContents', body);
    expect(await response.text()).toBe(withUsage(several));
    expect(upstream.requests.at(-1)?.body).toBe(body);
    expect(gateway.settled().at(-1)).toMatchObject({ input_tokens: 9, status: 'succeeded' });
  });

  it.each([
    ['{"requests":[{"content":1},{"model":"models/other","content":2}]}', 'batchEmbedContents'],
    ['{"content":1,"model":"models/gemini/gemini-embedding-001"}', 'embedContent'],
  ])('has the provider’s own name of the model: %s', async (body, method) => {
    upstream.answerWith(json(200, method === 'embedContent' ? answer : several));
    const response = await post(`gemini/gemini-embedding-001:${method}`, body);
    expect(response.status).toBe(200);
    const model = 'models/gemini-embedding-001';
    expect(upstream.requests.at(-1)?.json).toEqual(
      method === 'embedContent'
        ? { content: 1, model }
        : { requests: [1, 2].map((each) => ({ model, content: each })) },
    );
  });

  it('is metered by its texts where Google reports no tokens', async () => {
    upstream.answerWith(json(200, several));
    const requests = ['a text of 20 letters', 'one'].map((text) => ({ content: content(text) }));
    await (await post('gemini/gemini-embedding-001:batchEmbedContents', { requests })).text();
    expect(gateway.settled().at(-1)).toMatchObject({ input_tokens: 6, estimated: true, status: 'succeeded' });
  });

  it('is converted for a provider of another protocol after Google failed', async () => {
    const config = 'routes:\n  embed:\n    targets: [gemini/gemini-embedding-001, openai/text-embedding-3-small]\n';
    const providers = { gemini: { baseUrl: upstream.url }, openai: { baseUrl: upstream.url } };
    const routed = await startGateway({ providers, config });
    try {
      upstream.answerWith((request, response) =>
        (request.path.includes('gemini') ? json(500, {}) : json(200, list))(request, response),
      );
      const response = await fetch(`${routed.url}/v1beta/models/embed:embedContent`, {
        method: 'POST',
        headers: { 'x-goog-api-key': secret, 'content-type': 'application/json' },
        body: JSON.stringify({ content: content('Hello') }),
      });
      expect(await response.json()).toEqual({
        embedding: { values: [0.25, -0.5] },
        usageMetadata: { promptTokenCount: 3 },
      });
    } finally {
      await routed.close();
    }
  });

  it('may not name a file on a connection that accounts share', async () => {
    const uri = 'https://generativelanguage.googleapis.com/v1beta/files/abc';
    const before = upstream.requests.length;
    const response = await post('gemini/gemini-embedding-2:embedContent', {
      content: { parts: [{ file_data: { file_uri: uri, mime_type: 'video/mp4' } }] },
    });
    expect(response.status).toBe(404);
    geminiError.parse(await response.json());
    expect(upstream.requests.length).toBe(before);
  });

  it.each([
    [400, 'INVALID_ARGUMENT'],
    [429, 'RESOURCE_EXHAUSTED'],
  ])('that Google refuses with %i is refused in its envelope', async (status, name) => {
    upstream.answerWith(json(status, { error: { code: status, message: 'No.', status: name } }));
    const response = await post('gemini/gemini-embedding-001:embedContent', { content: content('x') });
    expect(response.status).toBe(status);
    expect(geminiError.parse(await response.json()).error).toMatchObject({ status: name, message: 'No.' });
  });

  it('must have embeddings in its response', async () => {
    upstream.answerWith(json(200, '{"candidates":[]}'));
    const response = await post('gemini/gemini-embedding-001:embedContent', { content: content('x') });
    expect(response.status).toBe(502);
  });

  it('works through the AI SDK’s provider for Google', async () => {
    upstream.answerWith(json(200, withUsage(several)));
    const provider = createGoogleGenerativeAI({ apiKey: secret, baseURL: `${gateway.url}/v1beta` });
    const { embeddings } = await embedMany({
      model: provider.textEmbeddingModel('gemini/gemini-embedding-001'),
      values: ['a', 'b'],
      maxRetries: 0,
    });
    expect(embeddings).toEqual([[1], [2]]);
    expect(upstream.requests.at(-1)?.body).toContain('"models/gemini-embedding-001"');
  });
});
