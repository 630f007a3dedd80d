import { buildSchemas, type SchemaName } from './schemas.ts';

/** An OpenAPI 3.1 document, as far as we write it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly unknown[];
  readonly security: readonly unknown[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

/** The document of all REST routes, from the schemas that check the requests. The same at every call. */
export function buildOpenApiDocument(): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1',
      summary: 'One gate for every AI model.',
      description: 'The OpenAI-compatible surface of Sluice: point any OpenAI client at `/v1`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths: {
      '/v1/chat/completions': { post: chatCompletions },
      '/v1/models': { get: listModels },
      '/v1/models/{id}': { get: retrieveModel },
      '/healthz': { get: health },
      '/readyz': { get: readiness },
      '/metrics': { get: metrics },
    },
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `sk-sluice-…`.' } },
      headers,
      schemas: buildSchemas(),
    },
  };
}

const headers = {
  'x-request-id': header('Names this request in the log, in the usage and to support.'),
  'openai-processing-ms': header('Milliseconds until the headers were sent.'),
  'x-ratelimit-limit-requests': header('Requests that the key may make in the period.'),
  'x-ratelimit-remaining-requests': header('Requests left.'),
  'x-ratelimit-reset-requests': header('Time until all are there again, such as `1s` or `6m0s`.'),
  'x-ratelimit-limit-tokens': header('Tokens that the key may use in a minute.'),
  'x-ratelimit-remaining-tokens': header('Tokens left.'),
  'x-ratelimit-reset-tokens': header('Time until all are there again.'),
  'x-sluice-provider': header('The provider that answered.'),
  'x-sluice-model': header('The model that answered: `provider/model`.'),
  'x-sluice-cost': header('USD, as a decimal. On streams it stands in the last chunk’s `usage.cost`.'),
} as const;

const everyAnswer = refs(['x-request-id', 'openai-processing-ms']);
const limited = {
  ...everyAnswer,
  ...refs([
    'x-ratelimit-limit-requests',
    'x-ratelimit-remaining-requests',
    'x-ratelimit-reset-requests',
    'x-ratelimit-limit-tokens',
    'x-ratelimit-remaining-tokens',
    'x-ratelimit-reset-tokens',
  ]),
};
const routed = { ...limited, ...refs(['x-sluice-provider', 'x-sluice-model', 'x-sluice-cost']) };

const refused = {
  '401': failure('No key, or one that is not known.'),
  '403': failure('The key lacks the scope.'),
  '503': failure('Not now: `retry-after` says when.'),
};

const chatCompletions: Operation = {
  operationId: 'createChatCompletion',
  summary: 'Chat',
  description: 'Completes a conversation, at once or as a stream of server-sent events that ends with `data: [DONE]`.',
  tags: ['Chat'],
  requestBody: { required: true, content: { 'application/json': { schema: ref('ChatCompletionRequest') } } },
  responses: {
    '200': {
      description: 'The answer.',
      headers: routed,
      content: {
        'application/json': { schema: ref('ChatCompletion') },
        'text/event-stream': { schema: ref('ChatCompletionChunk') },
      },
    },
    '400': failure('The request is not well-formed: `param` names the member at fault.'),
    ...refused,
    '404': failure('No such model.'),
    '413': failure('The body is too large.'),
    '415': failure('The body is no JSON.'),
    '429': failure('A limit is reached: `retry-after` says when to come again.'),
    '502': failure('The provider failed.'),
    '504': failure('The provider was silent for too long.'),
  },
};

const listModels: Operation = {
  operationId: 'listModels',
  summary: 'List models',
  description: 'The models that the key may use now.',
  tags: ['Models'],
  responses: { '200': answer('The models.', 'ModelList', everyAnswer), ...refused },
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
  responses: { '200': answer('The model.', 'Model', everyAnswer), ...refused, '404': failure('No such model.') },
};

const health: Operation = {
  operationId: 'health',
  summary: 'Is the process up?',
  tags: ['Operation'],
  security: [],
  responses: { '200': { description: 'It is.' } },
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
  tags: ['Operation'],
  security: [],
  responses: {
    '200': { description: 'Prometheus’ text format.', content: { 'text/plain': { schema: { type: 'string' } } } },
  },
};

function ref(name: SchemaName): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

function refs(names: readonly (keyof typeof headers)[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function header(description: string): { description: string; schema: { type: 'string' } } {
  return { description, schema: { type: 'string' } };
}

function answer(description: string, schema: SchemaName, itsHeaders: Record<string, unknown>): Record<string, unknown> {
  return { description, headers: itsHeaders, content: { 'application/json': { schema: ref(schema) } } };
}

function failure(description: string): Record<string, unknown> {
  return answer(description, 'Error', everyAnswer);
}
