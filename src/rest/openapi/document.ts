import { failure, refused } from './failures.ts';
import { answer, headers, limited, type ErrorSchema, type Operation } from './parts.ts';
import { batchPaths } from './operations/batches.ts';
import { chatCompletionPaths } from './operations/chat/chat-completions.ts';
import { createCompletion } from './operations/chat/completions.ts';
import { exportAccount, exportAudit, exportDataset, exportUsage, invoicePdf } from './operations/exports.ts';
import {
  createConversation,
  createConversationItems,
  deleteConversation,
  deleteConversationItem,
  listConversationItems,
  retrieveConversation,
  retrieveConversationItem,
  updateConversation,
} from './operations/conversations.ts';
import { uploadPaths } from './operations/uploads.ts';
import { createFile, deleteFile, downloadFile, listFiles, retrieveFile } from './operations/files.ts';
import { geminiPaths } from './operations/gemini/paths.ts';
import { imageEdits, imageGenerations, imageVariations, media } from './operations/images.ts';
import { IDEMPOTENCY_KEY_PARAMETER, repeatable } from './idempotency.ts';
import { countMessageTokens, createMessage } from './operations/messages.ts';
import { messageBatchPaths } from './operations/message-batches.ts';
import { moderations } from './operations/moderations.ts';
import { embeddings, rerank, rerankOfCohere } from './operations/retrieval.ts';
import {
  cancelResponse,
  compactResponse,
  countResponseTokens,
  createResponse,
  deleteResponse,
  listInputItems,
  retrieveResponse,
} from './operations/responses.ts';
import { submitFeedback } from './operations/feedback.ts';
import { buildSchemas } from './schemas.ts';
import { keyOfQuery, securitySchemes, tags } from './surface.ts';
import { speech } from './operations/speech.ts';
import { transcriptions, translations } from './operations/transcription.ts';
import { createVideo, deleteVideo, listVideos, remixVideo, retrieveVideo, videoContent } from './operations/videos.ts';

/** The members of an OpenAPI 3.1 document that are used here. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly unknown[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, unknown>>;
}

/** The document of all REST routes, built from the schemas that validate requests. Deterministic. */
export function buildOpenApiDocument(): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1',
      summary: 'One OpenAI-compatible API for every AI model.',
      description:
        'The OpenAI-compatible API of Sluice. Set the base URL of any OpenAI client to `/v1`. Azure OpenAI’s spelling of the paths works too: `/openai/v1`, `/openai/deployments/{model}` and `/openai`, the latter two with `api-version`. An unsupported method returns 405 with an `allow` header. Malformed HTTP returns 400, a timeout of the request headers 408, and request headers that are too large 431.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    tags,
    paths: withIdempotencyKeys({
      ...chatCompletionPaths,
      '/v1/completions': { post: createCompletion },
      '/v1/responses': { post: createResponse },
      '/v1/responses/compact': { post: compactResponse },
      '/v1/responses/input_tokens': { post: countResponseTokens },
      '/v1/responses/{id}': { get: retrieveResponse, delete: deleteResponse },
      '/v1/responses/{id}/cancel': { post: cancelResponse },
      '/v1/responses/{id}/input_items': { get: listInputItems },
      '/v1/conversations': { post: createConversation },
      '/v1/conversations/{id}': {
        get: retrieveConversation,
        post: updateConversation,
        delete: deleteConversation,
      },
      '/v1/conversations/{id}/items': { get: listConversationItems, post: createConversationItems },
      '/v1/conversations/{id}/items/{item}': { get: retrieveConversationItem, delete: deleteConversationItem },
      '/v1/messages': { post: createMessage },
      '/v1/messages/count_tokens': { post: countMessageTokens },
      ...messageBatchPaths,
      ...geminiPaths,
      ...batchPaths,
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
      '/v1/files': { get: listFiles, post: createFile },
      '/v1/files/{id}': { get: retrieveFile, delete: deleteFile },
      '/v1/files/{id}/content': { get: downloadFile },
      ...uploadPaths,
      '/v1/models': { get: listModels },
      '/v1/models/{id}': { get: retrieveModel },
      '/v1/feedback': { post: submitFeedback },
      '/exports/usage.{format}': { get: exportUsage },
      '/invoices/{number}.pdf': { get: invoicePdf },
      '/exports/audit.{format}': { get: exportAudit },
      '/exports/account.jsonl': { get: exportAccount },
      '/exports/dataset.jsonl': { get: exportDataset },
      '/healthz': { get: health },
      '/readyz': { get: readiness },
      '/metrics': { get: metrics },
    }),
    components: {
      securitySchemes: { ...securitySchemes, keyOfQuery },
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY_PARAMETER },
      headers,
      schemas: buildSchemas(),
    },
  };
}

/** Every `POST` under `/v1`, `/v1beta` and `/v2` accepts one. */
function withIdempotencyKeys(paths: OpenApiDocument['paths']): OpenApiDocument['paths'] {
  return Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => {
      const { post } = methods;
      return [
        path,
        post && /^\/v(?:1|1beta|2)\//.test(path) ? { ...methods, post: repeatable(post, errorsOf(path)) } : methods,
      ];
    }),
  );
}

function errorsOf(path: string): ErrorSchema {
  if (path.startsWith('/v2/')) return 'CohereError';
  if (path.startsWith('/v1beta/')) return 'GoogleError';
  return path.startsWith('/v1/messages') ? 'AnthropicError' : 'Error';
}

const listModels: Operation = {
  operationId: 'listModels',
  summary: 'List models',
  description: 'Lists the models that the key can use.',
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
      description: '`provider/model`. The slash does not need to be percent-encoded.',
    },
  ],
  responses: { '200': answer('The model.', 'Model', limited), ...refused, '404': failure('404') },
};

const health: Operation = {
  operationId: 'health',
  summary: 'Check liveness',
  description: 'Reports whether the process is running.',
  tags: ['Operation'],
  security: [],
  responses: { '200': answer('The process is running.', 'Health', {}) },
};
const readiness: Operation = {
  operationId: 'readiness',
  summary: 'Check readiness',
  description: 'Reports whether the server can process requests, with the result of each check.',
  tags: ['Operation'],
  security: [],
  responses: {
    '200': answer('The server is ready.', 'Readiness', {}),
    '503': answer('The server is not ready. `checks` contains the reasons.', 'Readiness', {}),
  },
};
const metrics: Operation = {
  operationId: 'metrics',
  summary: 'Get metrics',
  description:
    'Returns metrics in the Prometheus text format, or in OpenMetrics if `Accept` prefers it, with the traces of sampled requests as exemplars. Requires the bearer token set by `SLUICE_METRICS_TOKEN`, or a request from the machine of the server.',
  tags: ['Operation'],
  security: [],
  responses: {
    '200': {
      description: 'The metrics.',
      content: {
        'text/plain': { schema: { type: 'string' } },
        'application/openmetrics-text': { schema: { type: 'string' } },
      },
    },
    '401': failure(
      '401',
      'The bearer token is missing or wrong, and the request is not from the machine of the server.',
    ),
  },
};
