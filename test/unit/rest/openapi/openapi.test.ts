import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { geminiMethods } from '../../../../src/rest/paths/gemini-methods.ts';
import { buildOpenApiDocument } from '../../../../src/rest/openapi/document.ts';
import type { Operation } from '../../../../src/rest/openapi/parts.ts';
import { chatRequest } from '../../protocols/chat-completions/arbitrary-request.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';
import { readEvents } from '../../../harness/read-events.ts';

const document = buildOpenApiDocument();
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'openapi.json', ...document });

/** Errors of a value under a schema of the document. */
function faults(schema: string, value: unknown): unknown[] {
  const validate = ajv.getSchema(`openapi.json#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`no schema ${schema}`);
  return validate(value) === true ? [] : (validate.errors ?? []);
}

function operations(): readonly Operation[] {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods));
}

const ofModels = '200 400 401 403 404 409 413 415 429 500 502 503 504';
const ofKeys = '200 400 401 403 500 503';
const ofObjects = '200 400 401 403 404 500 503';
const expectedStatuses: readonly (readonly [string, string])[] = [
  ...[
    'createChatCompletion',
    'createCompletion',
    'createResponse',
    'compactResponse',
    ...geminiMethods,
    'createEmbedding',
    'countResponseTokens',
    'createMessage',
    'countMessageTokens',
    'createRerank',
    'createRerankV2',
    'createModeration',
    'createSpeech',
    'createTranscription',
    'createTranslation',
    'createImage',
    'createImageEdit',
    'createImageVariation',
    'createVideo',
    'remixVideo',
  ].map((id) => [id, ofModels] as const),
  ['listModels', ofKeys],
  ['listGoogleModels', ofKeys],
  ...[
    'retrieveModel',
    'retrieveGoogleModel',
    'listChatCompletions',
    'retrieveChatCompletion',
    'deleteChatCompletion',
    'listChatCompletionMessages',
    'listFiles',
    'retrieveConversation',
    'deleteConversation',
    'listConversationItems',
    'retrieveConversationItem',
    'deleteConversationItem',
    'retrieveFile',
    'deleteFile',
    'retrieveResponse',
    'deleteResponse',
    'listInputItems',
    'listVideos',
    'retrieveVideo',
    'deleteVideo',
    'exportUsage',
    'exportAudit',
    'exportAccount',
    'invoicePdf',
    'listMessageBatches',
    'listBatches',
    'retrieveBatch',
    'retrieveMessageBatch',
    'deleteMessageBatch',
    'retrieveMessageBatchResults',
  ].map((id) => [id, ofObjects] as const),
  ['exportDataset', '200 400 401 403 404 409 500 503'],
  ['cancelResponse', '200 400 401 403 404 409 429 500 503'],
  ['createMessageBatch', '200 400 401 403 409 413 415 429 500 503'],
  ['cancelMessageBatch', '200 400 401 403 404 409 429 500 503'],
  ['createBatch', '200 400 401 403 404 409 413 415 429 500 503'],
  ['cancelBatch', '200 400 401 403 404 409 429 500 503'],
  ['downloadVideo', '200 206 400 401 403 404 416 500 502 503 504'],
  ['submitFeedback', '200 400 401 403 404 409 413 415 429 500 503'],
  ['createConversation', '200 400 401 403 409 413 415 429 500 503'],
  ['updateChatCompletion', '200 400 401 403 404 409 413 415 429 500 503'],
  ['updateConversation', '200 400 401 403 404 409 413 415 429 500 503'],
  ['createConversationItems', '200 400 401 403 404 409 413 415 429 500 503'],
  ['createUpload', '200 400 401 403 409 413 415 429 500 503'],
  ['addUploadPart', '200 400 401 403 404 409 413 415 429 500 503'],
  ['completeUpload', '200 400 401 403 404 409 413 415 429 500 503'],
  ['cancelUpload', '200 400 401 403 404 409 429 500 503'],
  ['createFile', '200 400 401 403 409 413 415 429 500 503'],
  ['downloadFile', '200 206 302 400 401 403 404 416 500 503'],
  ['getMedia', '200 206 400 403 404 416 500 503'],
  ['health', '200'],
  ['readiness', '200 503'],
  ['metrics', '200 401'],
];

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(async () => {
  await gateway.close();
});

const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };

describe('the OpenAPI document', () => {
  it('is served as committed', async () => {
    const served = await (await fetch(`${gateway.url}/openapi.json`)).json();
    expect(served).toEqual(JSON.parse(JSON.stringify(document)));
    expect(served).toEqual(JSON.parse(readFileSync('schema/openapi.json', 'utf8')));
  });

  it('has no unresolved reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
    expect(references.length).toBeGreaterThan(30);
    for (const path of references) {
      let at: unknown = document;
      for (const step of path.split('/'))
        at = typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined;
      expect(at, path).toBeDefined();
    }
  });

  it('describes every route with a unique operation ID', () => {
    expect(Object.keys(document.paths)).toEqual([
      '/v1/chat/completions',
      '/v1/chat/completions/{id}',
      '/v1/chat/completions/{id}/messages',
      '/v1/completions',
      '/v1/responses',
      '/v1/responses/compact',
      '/v1/responses/input_tokens',
      '/v1/responses/{id}',
      '/v1/responses/{id}/cancel',
      '/v1/responses/{id}/input_items',
      '/v1/conversations',
      '/v1/conversations/{id}',
      '/v1/conversations/{id}/items',
      '/v1/conversations/{id}/items/{item}',
      '/v1/messages',
      '/v1/messages/count_tokens',
      '/v1/messages/batches',
      '/v1/messages/batches/{id}',
      '/v1/messages/batches/{id}/cancel',
      '/v1/messages/batches/{id}/results',
      ...geminiMethods.map((method) => `/v1beta/models/{model}:${method}`),
      '/v1beta/models',
      '/v1beta/models/{model}',
      '/v1/batches',
      '/v1/batches/{id}',
      '/v1/batches/{id}/cancel',
      '/v1/embeddings',
      '/v1/rerank',
      '/v2/rerank',
      '/v1/moderations',
      '/v1/audio/speech',
      '/v1/audio/transcriptions',
      '/v1/audio/translations',
      '/v1/images/generations',
      '/v1/images/edits',
      '/v1/images/variations',
      '/v1/videos',
      '/v1/videos/{id}',
      '/v1/videos/{id}/content',
      '/v1/videos/{id}/remix',
      '/media/{id}',
      '/v1/files',
      '/v1/files/{id}',
      '/v1/files/{id}/content',
      '/v1/uploads',
      '/v1/uploads/{id}/parts',
      '/v1/uploads/{id}/complete',
      '/v1/uploads/{id}/cancel',
      '/v1/models',
      '/v1/models/{id}',
      '/v1/feedback',
      '/exports/usage.{format}',
      '/invoices/{number}.pdf',
      '/exports/audit.{format}',
      '/exports/account.jsonl',
      '/exports/dataset.jsonl',
      '/healthz',
      '/readyz',
      '/metrics',
    ]);
    const ids = operations().map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has patterns with the same meaning in ECMA 262 without flags and in Python', () => {
    const patterns: string[] = [];
    JSON.stringify(document, (member: string, value: unknown) => {
      if (member === 'pattern' && typeof value === 'string') patterns.push(value);
      return value;
    });
    expect(patterns).toContain(String.raw`^[^\x00-\x1f\x7f-\x9f]*$`);
    // Of escapes, `\x` with two digits: `\p` is no escape in Python, and `\d` has other digits there.
    expect(patterns.filter((pattern) => /\\(?!x[0-9a-f]{2})/.test(pattern))).toEqual([]);
  });

  it('declares exactly the tags of its operations', () => {
    const used = new Set(operations().flatMap(({ tags }) => tags));
    expect(document.tags.map(({ name }) => name)).toEqual([...used]);
    expect(document.tags.every(({ description }) => description !== '')).toBe(true);
  });

  it('declares the four key headers as alternatives', () => {
    const { securitySchemes } = document.components;
    expect(securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      xApiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      apiKey: { type: 'apiKey', in: 'header', name: 'api-key' },
      xGoogApiKey: { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
    });
    expect(document.security).toEqual([{ bearer: [] }, { xApiKey: [] }, { apiKey: [] }, { xGoogApiKey: [] }]);
  });

  it('declares that the key of a request to Google’s API may be in the URL', () => {
    expect(document.components.securitySchemes).toMatchObject({
      keyOfQuery: { type: 'apiKey', in: 'query', name: 'key' },
    });
    const withQuery = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).some(({ security = [] }) => JSON.stringify(security).includes('keyOfQuery')) ? [path] : [],
    );
    expect(withQuery).toEqual(Object.keys(document.paths).filter((path) => path.startsWith('/v1beta/')));
  });

  it('has no unused component', () => {
    const text = JSON.stringify(document);
    const { securitySchemes: _named, ...components } = document.components;
    const names = Object.entries(components).flatMap(([kind, members]) =>
      Object.keys(z.record(z.string(), z.unknown()).parse(members)).map((name) => `#/components/${kind}/${name}`),
    );
    expect(names.filter((name) => !text.includes(`"$ref":"${name}"`))).toEqual([]);
  });

  it.each(expectedStatuses)('lists the statuses of %s', (id, statuses) => {
    const found = operations().find(({ operationId }) => operationId === id);
    expect(Object.keys(found?.responses ?? {}).join(' ')).toBe(statuses);
  });

  it('lists the statuses of each operation', () => {
    const listed = expectedStatuses.map(([id]) => id);
    expect(listed.toSorted()).toEqual(
      operations()
        .map(({ operationId }) => operationId)
        .toSorted(),
    );
  });

  it('accepts every request that the gateway accepts', () => {
    fc.assert(
      fc.property(chatRequest, (body) => {
        expect(faults('ChatCompletionRequest', body)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    { messages: [{ role: 'user', content: 'x' }] },
    { model: 'sandbox/chat', messages: [] },
    { model: 'sandbox/chat', messages: [{ role: 'robot', content: 'x' }] },
    { model: 'sandbox/chat', messages: [{ role: 'user', content: 'x' }], temperature: 3 },
    { model: 'sandbox/chat', messages: [{ role: 'user', content: 'x' }], n: 1.5 },
    { model: 'sandbox/chat', messages: [{ role: 'user', content: 'x' }], seed: 0.5 },
    { model: 'sandbox/chat', messages: [{ role: 'user', content: 'x' }], tools: [{ type: 'function', function: {} }] },
  ])('rejects %j, like the gateway', async (body) => {
    expect(faults('ChatCompletionRequest', body)).not.toEqual([]);
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(400);
    expect(faults('Error', await answer.json())).toEqual([]);
  });
});

describe('a response matches the document', () => {
  const body = {
    model: 'sandbox/chat',
    messages: [{ role: 'user', content: 'Hello' }],
    logprobs: true,
    top_logprobs: 2,
  };

  it('of a completion', async () => {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
    expect(faults('ChatCompletion', await answer.json())).toEqual([]);
  });

  it('of each chunk of a stream', async () => {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
    });
    const events = readEvents(await answer.text());
    expect(events.pop()?.data).toBe('[DONE]');
    expect(events.length).toBeGreaterThan(2);
    for (const { data } of events) expect(faults('ChatCompletionChunk', JSON.parse(data))).toEqual([]);
  });

  it.each([
    ['GenerateContentRequest', 'GenerateContentResponse', 'chat:generateContent'],
    ['CountTokensRequest', 'CountTokensResponse', 'chat:countTokens'],
    ['EmbedContentRequest', 'EmbedContentResponse', 'embedding:embedContent'],
    ['BatchEmbedContentsRequest', 'BatchEmbedContentsResponse', 'embedding:batchEmbedContents'],
  ])('to the example of %s: %s at %s', async (request, schema, path) => {
    const method = document.paths[`/v1beta/models/{model}:${path.split(':')[1]}`]?.post;
    const { example } = z
      .object({ content: z.object({ 'application/json': z.object({ example: z.looseObject({}) }) }) })
      .parse(method?.requestBody).content['application/json'];
    expect(faults(request, example)).toEqual([]);
    const send = (text: string): Promise<Response> =>
      fetch(`${gateway.url}/v1beta/models/sandbox/${path}`, { method: 'POST', headers, body: text });
    const answer = await send(JSON.stringify(example));
    expect(answer.status).toBe(200);
    expect(faults(schema, await answer.json())).toEqual([]);
    const refused = await send('{}');
    expect(refused.status).toBe(400);
    expect(faults('GoogleError', await refused.json())).toEqual([]);
  });

  it.each(['', '?alt=sse'])('to a stream of Google’s API: streamGenerateContent%s', async (query) => {
    const body = JSON.stringify({ contents: [{ parts: [{ text: 'Hello' }] }] });
    const url = `${gateway.url}/v1beta/models/sandbox/chat:streamGenerateContent${query}`;
    const text = await (await fetch(url, { method: 'POST', headers, body })).text();
    const pieces: unknown[] = query === '' ? JSON.parse(text) : readEvents(text).map(({ data }) => JSON.parse(data));
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces) expect(faults('GenerateContentResponse', piece)).toEqual([]);
  });

  it.each([
    ['GoogleModelList', '/v1beta/models'],
    ['GoogleModel', '/v1beta/models/sandbox/chat'],
    ['GoogleError', '/v1beta/models/sandbox/none'],
    ['ModelList', '/v1/models'],
    ['Model', '/v1/models/sandbox/chat'],
    ['Error', '/v1/nothing'],
    ['Readiness', '/readyz'],
  ])('%s at %s', async (schema, path) => {
    expect(faults(schema, await (await fetch(`${gateway.url}${path}`, { headers })).json())).toEqual([]);
  });
});
