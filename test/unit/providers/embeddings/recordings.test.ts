import { generateKeyPairSync } from 'node:crypto';
import { connect } from 'node:net';
import type { buildConnector } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { ConnectionSettings } from '../../../../src/providers/contract.ts';
import { json, startFakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { recorded, rounded, startWithProvider, vectorsOf, type GatewayWithProvider } from './gateway-with-provider.ts';

let open: GatewayWithProvider | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

/** The vectors of the recordings. */
interface Recorded {
  readonly embeddings: { readonly float: number[][] };
  readonly data: readonly { readonly embedding: number[] }[];
  readonly predictions: readonly { readonly embeddings: { readonly values: number[] } }[];
}

interface Recording {
  readonly provider: string;
  readonly file: string;
  readonly model: string;
  readonly settings?: Partial<ConnectionSettings>;
  /** The expected path and body of a request with two texts. */
  readonly path: RegExp;
  readonly asks: object;
  readonly vectors: (answer: Recorded) => number[][];
  readonly tokens: number;
  readonly costNano: number;
}

const texts = ['sunny day at the beach', 'rainy day in the city'];

const recordings: readonly Recording[] = [
  {
    provider: 'cohere',
    file: 'cohere/cohere-embedding.json',
    model: 'embed-english-v3.0',
    path: /^\/v1\/embed$/,
    asks: { model: 'embed-english-v3.0', texts, embedding_types: ['float'] },
    vectors: ({ embeddings }) => embeddings.float,
    tokens: 10,
    // 0.10 USD per million tokens: 100 nano-USD each.
    costNano: 1_000,
  },
  {
    provider: 'voyage',
    file: 'voyage/voyage-embedding.json',
    model: 'voyage-3.5',
    path: /^\/v1\/embeddings$/,
    asks: { model: 'voyage-3.5', input: texts },
    vectors: ({ data }) => data.map(({ embedding }) => embedding),
    tokens: 12,
    // Its price is not known.
    costNano: 0,
  },
  {
    provider: 'google-vertex',
    file: 'google-vertex/google-vertex-embedding.json',
    model: 'text-embedding-005',
    settings: { apiKey: 'express' },
    path: /\/publishers\/google\/models\/text-embedding-005:predict$/,
    asks: { instances: texts.map((content) => ({ content })) },
    vectors: ({ predictions }) => predictions.map(({ embeddings }) => embeddings.values),
    tokens: 11,
    // 0.025 USD per million tokens: 25 nano-USD each.
    costNano: 275,
  },
];

describe.each(recordings)('$provider’s recorded embeddings', (recording) => {
  const { provider, model } = recording;
  const body = recorded(recording.file);
  const vectors = recording.vectors(JSON.parse(body));

  it('are returned in OpenAI’s format, as numbers and as base64, and metered', async () => {
    open = await startWithProvider(provider, json(200, body), recording.settings);
    const asked = { model: `${provider}/${model}`, input: texts };
    const float = await open.post('/embeddings', asked);
    expect(float.status).toBe(200);
    expect(float.json).toMatchObject({
      object: 'list',
      data: [
        { object: 'embedding', index: 0 },
        { object: 'embedding', index: 1 },
      ],
      usage: { prompt_tokens: recording.tokens, total_tokens: recording.tokens },
    });
    expect(float.json.usage).not.toHaveProperty('estimated');
    expect(vectorsOf(float)).toEqual(vectors);
    const base64 = await open.post('/embeddings', { ...asked, encoding_format: 'base64' });
    expect(typeof base64.json.data?.[0]?.embedding).toBe('string');
    expect(vectorsOf(base64)).toEqual(vectors.map(rounded));
    const [request, second] = open.upstream.requests;
    expect(request?.path).toMatch(recording.path);
    expect(request?.json).toMatchObject(recording.asks);
    expect(second?.json).toEqual(request?.json);
    const [record] = await open.gateway.settledCount(2);
    expect(record).toMatchObject({
      capability: 'embeddings',
      model: `${provider}/${model}`,
      status: 'succeeded',
      input_tokens: recording.tokens,
      output_tokens: 0,
      estimated: false,
      cost_nano: String(recording.costNano),
    });
  });

  it('are rejected for token inputs without a request to the provider', async () => {
    open = await startWithProvider(provider, json(200, body), recording.settings);
    for (const input of [
      [1, 2],
      [[1], [2]],
    ]) {
      const answer = await open.post('/embeddings', { model: `${provider}/${model}`, input });
      expect(answer.status).toBe(400);
      expect(answer.json.error).toMatchObject({ code: 'unsupported_value', param: 'input' });
      expect(answer.json.error).toMatchObject({ message: expect.stringContaining('accepts text only') });
    }
    expect(open.upstream.requests).toEqual([]);
    expect(open.gateway.settled()).toEqual([]);
    const rejected = { status: 'rejected', cost_nano: '0', provider: '' };
    expect(open.gateway.rejected()).toMatchObject([rejected, rejected]);
  });

  it('fail as an invalid response if there are fewer than inputs', async () => {
    open = await startWithProvider(provider, json(200, body), recording.settings);
    const answer = await open.post('/embeddings', { model: `${provider}/${model}`, input: [...texts, 'one more'] });
    expect(answer.status).toBe(502);
    expect(answer.json.error).toMatchObject({ code: 'provider_invalid_response' });
  });
});

describe('Vertex AI with a service account', () => {
  it('receives one request per text where its model accepts one', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const script: Script = (request, response) => {
      if (request.path === '/token') return json(200, { access_token: 't', expires_in: 3_600 })(request, response);
      const values = [request.body.includes('sunny') ? 0.5 : 0.25];
      const prediction = { embeddings: { statistics: { token_count: 3, truncated: false }, values } };
      return json(200, { predictions: [prediction] })(request, response);
    };
    const upstream = await startFakeProvider(script);
    const dial: buildConnector.connector = (_options, callback) => {
      const socket = connect(Number(new URL(upstream.url).port), '127.0.0.1', () => callback(null, socket));
    };
    const options = {
      project: 'my-project',
      location: 'europe-west1',
      client_email: 'sluice@my-project.iam.gserviceaccount.com',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
    open = await startWithProvider('google-vertex', script, { apiKey: undefined, baseUrl: undefined, options, dial });
    const asked = { model: 'google-vertex/gemini-embedding-001', input: texts, dimensions: 2, input_type: 'document' };
    const answer = await open.post('/embeddings', asked);
    await upstream.close();
    expect(answer.status).toBe(200);
    expect(vectorsOf(answer)).toEqual([[0.5], [0.25]]);
    expect(answer.json.usage).toEqual({ prompt_tokens: 6, total_tokens: 6 });
    const calls = upstream.requests.filter(({ path }) => path !== '/token');
    expect(calls.map(({ json: sent }) => sent)).toHaveLength(2);
    expect(calls.map(({ json: sent }) => sent)).toEqual(
      expect.arrayContaining(
        texts.map((content) => ({
          instances: [{ content, task_type: 'RETRIEVAL_DOCUMENT' }],
          parameters: { outputDimensionality: 2 },
        })),
      ),
    );
  });
});
