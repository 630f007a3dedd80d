import { createVerify } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { json, pieces, type Script } from '../../../harness/fake-provider.ts';
import { secret } from '../../../harness/gateway.ts';
import { geminiError } from '../../../harness/gemini-schema.ts';
import { recordings } from '../../gateway/recordings.ts';
import { recording, replayDocument } from '../replay.ts';
import { account, cut, publicKey, startVertex, type VertexGateway } from './vertex.ts';

const models = '/v1beta1/projects/my-project/locations/europe-west1/publishers/google/models';
const hello = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
const ofGoogle = recordings.filter(({ provider, name }) => provider === 'gemini' && !name.includes('error'));

let vertex: VertexGateway;

beforeAll(async () => {
  const limits = { requestsPerMinute: Infinity, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: 100 };
  vertex = await startVertex({}, { key: { limits } });
});
afterAll(() => vertex.close());

function post(path: string, body: object | string = hello, on = vertex): Promise<Response> {
  return fetch(`${on.gateway.url}/v1beta/models/google-vertex/${path}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': secret, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Google's events: their lines end with CR LF. */
function googleBytes(lines: string): Buffer {
  const events = lines.split('\n').filter((line) => line.trim() !== '');
  return Buffer.from(events.map((data) => `data: ${data}\r\n\r\n`).join(''));
}

describe('a request of the Gemini API to Vertex AI', () => {
  it.each(ofGoogle.filter(({ isStream }) => isStream))('is answered byte for byte as a stream: $name', async (each) => {
    const bytes = googleBytes(recording(each.name));
    vertex.answerWith(pieces(cut(bytes, each.name.length), 'end'));
    const response = await post('gemini-3-pro:streamGenerateContent?alt=sse');
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect(vertex.calls().at(-1)?.path).toBe(`${models}/gemini-3-pro:streamGenerateContent?alt=sse`);
  });

  it.each(ofGoogle.filter(({ isStream }) => !isStream))(
    'is answered byte for byte as a document: $name',
    async (each) => {
      vertex.answerWith(replayDocument(recording(each.name)));
      const response = await post('gemini-3-pro:generateContent');
      expect(await response.text()).toBe(recording(each.name));
    },
  );

  it('arrives byte for byte, with a token of the service account', async () => {
    vertex.answerWith(replayDocument(recording('gemini/google-text.json')));
    const body = `{"contents":[{"role":"user", "parts":[{"text":"é"}]}],"newMember":{"a":1.0},"tools":[{"googleSearch":{}}]}`;
    expect((await post('gemini-3-pro:generateContent', body)).status).toBe(200);
    const received = vertex.calls().at(-1);
    expect(received?.path).toBe(`${models}/gemini-3-pro:generateContent`);
    expect(received?.body).toBe(body);
    expect(received?.headers).toMatchObject({
      host: 'europe-west1-aiplatform.googleapis.com',
      authorization: 'Bearer the-token',
    });
    const { usageMetadata: usage } = JSON.parse(recording('gemini/google-text.json'));
    expect(vertex.gateway.settled().at(-1)).toMatchObject({ input_tokens: usage.promptTokenCount, estimated: false });
  });

  it('has a role in each of its contents, which the Gemini API does not require', async () => {
    vertex.answerWith(replayDocument(recording('gemini/google-text.json')));
    await post('gemini-3-pro:generateContent', '{"contents": [{"parts":[{"text":"a"}]}, {"role":"model","parts":[]}]}');
    expect(vertex.calls().at(-1)?.json).toEqual({
      contents: [
        { parts: [{ text: 'a' }], role: 'user' },
        { role: 'model', parts: [] },
      ],
    });
  });

  it('is counted by Vertex AI', async () => {
    const answer = '{ "totalTokens": 7, "totalBillableCharacters": 31, "promptTokensDetails": [] }';
    vertex.answerWith(json(200, answer));
    const counted = await post('gemini-3-pro:countTokens', { contents: [{ parts: [{ text: 'x' }] }] });
    expect(await counted.text()).toBe(answer);
    expect(counted.headers.get('x-sluice-estimated')).toBeNull();
    expect(vertex.calls().at(-1)).toMatchObject({
      path: `${models}/gemini-3-pro:countTokens`,
      json: { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
    });
    const complete = {
      ...hello,
      system_instruction: { parts: [{ text: 'y' }] },
      safetySettings: [],
      model: 'models/x',
    };
    await post('gemini-3-pro:countTokens', { generateContentRequest: complete });
    expect(vertex.calls().at(-1)?.json).toEqual({ ...hello, systemInstruction: { parts: [{ text: 'y' }] } });
  });

  it.each([
    ['fails', json(500, {})],
    ['has no number', json(200, { total: 1 })],
  ])('is estimated where the count %s', async (_how, script) => {
    vertex.answerWith(script);
    const counted = await post('gemini-3-pro:countTokens', { contents: [{ parts: [{ text: 'x'.repeat(400) }] }] });
    expect(await counted.json()).toEqual({ totalTokens: 100 });
    expect(counted.headers.get('x-sluice-estimated')).toBe('totalTokens');
  });

  it('has its error in Google’s envelope', async () => {
    vertex.answerWith(json(400, [{ error: { code: 400, message: 'Unknown name "x".', status: 'INVALID_ARGUMENT' } }]));
    const response = await post('gemini-3-pro:streamGenerateContent?alt=sse');
    expect(response.status).toBe(400);
    expect(geminiError.parse(await response.json()).error.message).toContain('Unknown name "x".');
  });

  it.each([
    ['a data store', { tools: [{ retrieval: { vertexAiSearch: { datastore: 'projects/p/x' } } }] }],
    ['a corpus', { tools: [{ retrieval: { vertex_rag_store: { rag_corpora: ['projects/p/ragCorpora/1'] } } }] }],
    ['a secret', { tools: [{ googleMaps: { authConfig: { apiKeyConfig: { apiKeySecret: 'projects/p/s' } } } }] }],
    ['a template', { modelArmorConfig: { promptTemplateName: 'projects/p/t' } }],
    [
      'an object of a bucket',
      { contents: [{ parts: [{ fileData: { fileUri: 'gs://b/o', mimeType: 'image/png' } }] }] },
    ],
  ])('may not name %s on a connection that accounts share', async (_what, members) => {
    const before = vertex.calls().length;
    const response = await post('gemini-3-pro:generateContent', { ...hello, ...members });
    expect(response.status).toBe(404);
    geminiError.parse(await response.json());
    expect(vertex.calls().length).toBe(before);
  });

  it('is converted for models of other publishers', async () => {
    vertex.answerWith(json(200, { type: 'message', content: [], usage: { input_tokens: 1, output_tokens: 1 } }));
    await post('claude-sonnet-4-5:generateContent');
    expect(vertex.calls().at(-1)?.path).toMatch(/publishers\/anthropic\/models\/claude-sonnet-4-5:rawPredict$/);
  });
});

describe('embeddings of the Gemini API at Vertex AI', () => {
  const content = { parts: [{ text: 'Hello' }] };

  it('are forwarded to the models that have the method', async () => {
    const answer = '{ "embedding": {"values":[1, 2]}, "usageMetadata": {"promptTokenCount": 3}, "truncated": false }';
    vertex.answerWith(json(200, answer));
    const body = JSON.stringify({ content, taskType: 'FACT_VERIFICATION', newMember: 1 }, null, 1);
    const response = await post('gemini-embedding-2:embedContent', body);
    expect(await response.text()).toBe(answer);
    expect(vertex.calls().at(-1)).toMatchObject({ path: `${models}/gemini-embedding-2:embedContent`, body });
    expect(vertex.gateway.settled().at(-1)).toMatchObject({ input_tokens: 3, capability: 'embeddings' });
  });

  const echo: Script = (request, response) => {
    const { instances } = z.object({ instances: z.array(z.object({ content: z.string() })) }).parse(request.json);
    const predictions = instances.map((instance) => ({
      embeddings: { values: [instance.content.length], statistics: { token_count: 2, truncated: false } },
    }));
    json(200, { predictions })(request, response);
  };
  const of = (text: string, members: object = {}): object => ({ content: { parts: [{ text }] }, ...members });
  const sentSince = (before: number): unknown[] =>
    vertex
      .calls()
      .slice(before)
      .map((call) => call.json);

  it.each([
    ['embedContent', of('abc'), { embedding: { values: [3] } }],
    ['batchEmbedContents', { requests: [of('abc')] }, { embeddings: [{ values: [3] }] }],
  ])('become `predict` for the other models: %s', async (method, body, expected) => {
    vertex.answerWith(echo);
    const response = await post(`gemini-embedding-001:${method}`, body);
    expect(await response.json()).toEqual({ ...expected, usageMetadata: { promptTokenCount: 2 } });
    expect(vertex.calls().at(-1)).toMatchObject({
      path: `${models}/gemini-embedding-001:predict`,
      json: { instances: [{ content: 'abc' }], parameters: {} },
    });
    expect(vertex.gateway.settled().at(-1)).toMatchObject({ input_tokens: 2, estimated: false });
  });

  it('keep the settings of each request, in as few calls as that allows', async () => {
    vertex.answerWith(echo);
    const before = vertex.calls().length;
    const requests = [
      of('a', { taskType: 'FACT_VERIFICATION', title: 'T', newMember: 1 }),
      of('bb', { task_type: 'CLUSTERING' }),
      of('ccc', { outputDimensionality: 8 }),
    ];
    const response = await post('text-embedding-005:batchEmbedContents', { requests });
    expect(response.headers.get('x-sluice-dropped-params')).toBe('requests[0].newMember');
    expect(await response.json()).toEqual({
      embeddings: [1, 2, 3].map((length) => ({ values: [length] })),
      usageMetadata: { promptTokenCount: 6 },
    });
    const instances = [
      { content: 'a', task_type: 'FACT_VERIFICATION', title: 'T' },
      { content: 'bb', task_type: 'CLUSTERING' },
    ];
    expect(sentSince(before)).toEqual(
      expect.arrayContaining([
        { instances, parameters: {} },
        { instances: [{ content: 'ccc' }], parameters: { outputDimensionality: 8 } },
      ]),
    );
    expect(sentSince(before)).toHaveLength(2);
  });

  it('are one text each for a model that accepts no more, in order', async () => {
    vertex.answerWith(echo);
    const before = vertex.calls().length;
    const texts = Array.from({ length: 120 }, (_, index) => 'x'.repeat(index + 1));
    const response = await post('gemini-embedding-001:batchEmbedContents', { requests: texts.map((text) => of(text)) });
    const { embeddings } = z
      .object({ embeddings: z.array(z.object({ values: z.array(z.number()) })) })
      .parse(await response.json());
    expect(embeddings.map(({ values }) => values[0])).toEqual(texts.map(({ length }) => length));
    expect(sentSince(before)).toHaveLength(120);
  });

  it('are sent one by one, as they are, where the model has no batch', async () => {
    vertex.answerWith((request, response) =>
      json(200, { embedding: { values: [request.body.length] }, usageMetadata: { promptTokenCount: 3 } })(
        request,
        response,
      ),
    );
    const before = vertex.calls().length;
    const bodies = [
      '{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]},"x":1.0}',
      '{"content": {"parts":[{"text":"é"}]}}',
    ];
    const response = await post('gemini-embedding-2:batchEmbedContents', `{"requests": [${bodies.join(' , ')}]}`);
    expect(await response.json()).toEqual({
      embeddings: bodies.map((body) => ({ values: [body.length] })),
      usageMetadata: { promptTokenCount: 6 },
    });
    const received = vertex.calls().slice(before);
    expect(received.map(({ body }) => body).toSorted()).toEqual(bodies.toSorted());
    for (const { path } of received) expect(path).toBe(`${models}/gemini-embedding-2:embedContent`);
  });

  it.each([
    ['gemini-embedding-001:embedContent', { content: { parts: [{ inlineData: {} }] } }, 'content.parts[0].text'],
    ['gemini-embedding-001:batchEmbedContents', { requests: [] }, 'requests'],
    ['gemini-embedding-2:batchEmbedContents', { requests: 5 }, 'requests'],
    ['gemini-embedding-2:batchEmbedContents', { requests: [of('a'), null] }, 'requests[1]'],
  ])('are refused where the model cannot carry them: %s %j', async (path, body, param) => {
    const before = vertex.calls().length;
    const response = await post(path, body);
    expect(response.status).toBe(400);
    expect(geminiError.parse(await response.json()).error.message).toContain(param);
    expect(vertex.calls().length).toBe(before);
  });

  it.each([
    ['too few', { predictions: [] }],
    ['none', { predictions: [{ embeddings: {} }] }],
  ])('are an error of a response with %s', async (_what, answer) => {
    vertex.answerWith(json(200, answer));
    expect((await post('text-embedding-005:embedContent', of('x'))).status).toBe(502);
  });

  it('have the error of the call that fails', async () => {
    vertex.answerWith(json(400, { error: { code: 400, message: 'No.', status: 'INVALID_ARGUMENT' } }));
    const response = await post('text-embedding-005:embedContent', of('x'));
    expect(response.status).toBe(400);
    expect(geminiError.parse(await response.json()).error.message).toBe('No.');
  });
});

describe('a connection of its own', () => {
  let own: VertexGateway | null = null;
  beforeEach(() => {
    own = null;
  });
  afterEach(() => own?.close());

  async function start(...given: Parameters<typeof startVertex>): Promise<VertexGateway> {
    own = await startVertex(...given);
    own.answerWith(replayDocument(recording('gemini/google-text.json')));
    return own;
  }

  it('requests one token for all its requests, signed by the service account', async () => {
    const started = await start();
    const tokens: Promise<Response>[] = [1, 2, 3].map(() => post('gemini-3-pro:generateContent', hello, started));
    for (const response of await Promise.all(tokens)) expect(response.status).toBe(200);
    await post('gemini-3-pro:generateContent', hello, started);
    const [token, ...more] = started.upstream.requests.filter(({ path }) => path === '/token');
    expect(more).toEqual([]);
    expect(token?.headers.host).toBe('oauth2.googleapis.com');
    const form = new URLSearchParams(token?.body);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [head = '', claims = '', signature = ''] = form.get('assertion')?.split('.') ?? [];
    const verifier = createVerify('RSA-SHA256').update(`${head}.${claims}`);
    expect(verifier.verify(publicKey, signature, 'base64url')).toBe(true);
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: account.client_email,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: 'https://oauth2.googleapis.com/token',
    });
  });

  it('requests another token for a request after the first one has expired', async () => {
    const started = await start();
    started.tokensWith(json(200, { access_token: 'short', expires_in: 1 }));
    await post('gemini-3-pro:generateContent', hello, started);
    started.tokensWith(json(200, { access_token: 'next', expires_in: 3_600 }));
    await post('gemini-3-pro:generateContent', hello, started);
    expect(started.calls().map(({ headers }) => headers.authorization)).toEqual(['Bearer short', 'Bearer next']);
  });

  it('reports a refused token as an error of its credentials, and goes by the next target', async () => {
    const config = 'routes:\n  any:\n    targets: [google-vertex/gemini-3-pro, sandbox/chat]\n';
    const started = await start({}, { config });
    started.tokensWith(json(400, { error: 'invalid_grant' }));
    const failed = await post('gemini-3-pro:generateContent', hello, started);
    expect(failed.status).toBe(502);
    geminiError.parse(await failed.json());
    const routed = await fetch(`${started.gateway.url}/v1beta/models/any:generateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify(hello),
    });
    expect(routed.status).toBe(200);
    expect(started.calls()).toEqual([]);
  });

  it('sends nothing for a client that left while the token was requested', async () => {
    const started = await start();
    const asked = Promise.withResolvers<() => void>();
    started.tokensWith((request, response) =>
      asked.resolve(() => void json(200, { access_token: 'late', expires_in: 3_600 })(request, response)),
    );
    const leaving = new AbortController();
    const first = fetch(`${started.gateway.url}/v1beta/models/google-vertex/gemini-3-pro:generateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify(hello),
      signal: leaving.signal,
    });
    const answerToken = await asked.promise;
    leaving.abort();
    await expect(first).rejects.toThrow();
    await started.gateway.settledCount(1);
    answerToken();
    expect((await post('gemini-3-pro:generateContent', hello, started)).status).toBe(200);
    expect(started.calls()).toHaveLength(1);
    expect(started.gateway.settled()[0]).toMatchObject({ status: 'aborted', input_tokens: 0 });
  });

  it.each([
    ['global', 'aiplatform.googleapis.com'],
    ['eu', 'aiplatform.eu.rep.googleapis.com'],
  ])('in the location %s has the host %s', async (location, host) => {
    const started = await start({ options: { ...account, location } });
    await post('gemini-3-pro:generateContent', hello, started);
    expect(started.calls()[0]).toMatchObject({
      path: `/v1beta1/projects/my-project/locations/${location}/publishers/google/models/gemini-3-pro:generateContent`,
      headers: { host },
    });
  });

  it('with an API key uses express mode', async () => {
    const started = await start({ apiKey: 'express-key', options: {} });
    await post('gemini-3-pro:generateContent', hello, started);
    expect(started.upstream.requests).toHaveLength(1);
    expect(started.calls()[0]).toMatchObject({
      path: '/v1/publishers/google/models/gemini-3-pro:generateContent',
      headers: { host: 'aiplatform.googleapis.com', 'x-goog-api-key': 'express-key' },
    });
  });
});
