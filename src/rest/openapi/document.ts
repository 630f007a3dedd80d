import { jsonBody } from './examples.ts';
import { failure, failures, refused } from './failures.ts';
import { answer, events, headers, limited, ref, refs, routed, type Operation } from './parts.ts';
import { exportAccount, exportAudit, exportUsage, invoicePdf } from './exports.ts';
import { imageEdits, imageGenerations, imageVariations, media } from './images.ts';
import { IDEMPOTENCY_KEY_PARAMETER, repeatable } from './idempotency.ts';
import { moderations } from './moderations.ts';
import { embeddings, rerank, rerankOfCohere } from './retrieval.ts';
import { cancelResponse, createResponse, deleteResponse, listInputItems, retrieveResponse } from './responses.ts';
import { buildSchemas } from './schemas.ts';
import { securitySchemes, tags } from './surface.ts';
import { speech } from './speech.ts';
import { transcriptions, translations } from './transcription.ts';
import { createVideo, deleteVideo, listVideos, remixVideo, retrieveVideo, videoContent } from './videos.ts';

/** An OpenAPI 3.1 document, as far as we write it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly unknown[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, unknown>>;
}

/** The document of all REST routes, from the schemas that check the requests. The same at every call. */
export function buildOpenApiDocument(): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1',
      summary: 'One gate for every AI model.',
      description:
        'The OpenAI-compatible surface of Sluice: point any OpenAI client at `/v1`. A method that a path does not take is answered 405, with `allow`. What is not well-formed HTTP is answered 400, headers that are too slow 408, and headers that are too large 431.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    tags,
    paths: withIdempotencyKeys({
      '/v1/chat/completions': { post: chatCompletions },
      '/v1/responses': { post: createResponse },
      '/v1/responses/{id}': { get: retrieveResponse, delete: deleteResponse },
      '/v1/responses/{id}/cancel': { post: cancelResponse },
      '/v1/responses/{id}/input_items': { get: listInputItems },
      '/v1/embeddings': { post: embeddings },
      '/v1/rerank': { post: rerank },
      '/v2/rerank': { post: rerankOfCohere },
      '/v1/moderations': { post: moderations },
      '/v1/audio/speech': { post: speech },
      '/v1/audio/transcriptions': { post: transcriptions },
      '/v1/audio/translations': { post: translations },
      '/v1/images/generations': { post: imageGenerations },
      '/v1/images/edits': { post: imageEdits },
      '/v1/images/variations': { post: imageVariations },
      '/v1/videos': { get: listVideos, post: createVideo },
      '/v1/videos/{id}': { get: retrieveVideo, delete: deleteVideo },
      '/v1/videos/{id}/content': { get: videoContent },
      '/v1/videos/{id}/remix': { post: remixVideo },
      '/media/{id}': { get: media },
      '/v1/models': { get: listModels },
      '/v1/models/{id}': { get: retrieveModel },
      '/exports/usage.{format}': { get: exportUsage },
      '/invoices/{number}.pdf': { get: invoicePdf },
      '/exports/audit.{format}': { get: exportAudit },
      '/exports/account.jsonl': { get: exportAccount },
      '/healthz': { get: health },
      '/readyz': { get: readiness },
      '/metrics': { get: metrics },
    }),
    components: {
      securitySchemes,
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY_PARAMETER },
      headers,
      schemas: buildSchemas(),
    },
  };
}

/** Every `POST` under `/v1` and `/v2` takes one. */
function withIdempotencyKeys(paths: OpenApiDocument['paths']): OpenApiDocument['paths'] {
  return Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => {
      const { post } = methods;
      return [
        path,
        post && /^\/v[12]\//.test(path)
          ? { ...methods, post: repeatable(post, path.startsWith('/v2/') ? 'CohereError' : 'Error') }
          : methods,
      ];
    }),
  );
}

const chatCompletions: Operation = {
  operationId: 'createChatCompletion',
  summary: 'Chat',
  description: 'Completes a conversation, at once or as a stream of server-sent events that ends with `data: [DONE]`.',
  tags: ['Chat'],
  requestBody: { required: true, content: jsonBody('ChatCompletionRequest') },
  responses: {
    '200': {
      description: 'The answer.',
      headers: { ...routed, ...refs(['x-sluice-moderation']) },
      content: {
        'application/json': { schema: ref('ChatCompletion') },
        ...events('ChatCompletionChunk'),
      },
    },
    ...failures,
  },
};

const listModels: Operation = {
  operationId: 'listModels',
  summary: 'List models',
  description: 'The models that the key may use now.',
  tags: ['Models'],
  responses: { '200': answer('The models.', 'ModelList', limited), ...refused },
};

const retrieveModel: Operation = {
  operationId: 'retrieveModel',
  summary: 'Retrieve a model',
  tags: ['Models'],
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'string' },
      description: '`provider/model`; its slash may stand as it is.',
    },
  ],
  responses: { '200': answer('The model.', 'Model', limited), ...refused, '404': failure('404') },
};

const health: Operation = {
  operationId: 'health',
  summary: 'Is the process up?',
  tags: ['Operation'],
  security: [],
  responses: { '200': answer('It is.', 'Health', {}) },
};
const readiness: Operation = {
  operationId: 'readiness',
  summary: 'Can it serve?',
  tags: ['Operation'],
  security: [],
  responses: { '200': answer('It can.', 'Readiness', {}), '503': answer('It cannot, and why.', 'Readiness', {}) },
};
const metrics: Operation = {
  operationId: 'metrics',
  summary: 'Metrics for Prometheus',
  description: 'With the bearer token of `SLUICE_METRICS_TOKEN`, or from the machine itself.',
  tags: ['Operation'],
  security: [],
  responses: {
    '200': { description: 'Prometheus’ text format.', content: { 'text/plain': { schema: { type: 'string' } } } },
    '401': failure('401', 'Neither the token, nor the machine itself.'),
  },
};
