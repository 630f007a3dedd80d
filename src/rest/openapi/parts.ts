import type { SchemaName } from './schema-name.ts';

/** An OpenAPI response object, with the members that are used here. */
export interface ResponseDefinition extends Readonly<Record<string, unknown>> {
  readonly headers?: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, ResponseDefinition>>;
}

/** Response headers by name. */
export const headers = {
  'x-request-id': header('Identifies the request in the server log and the usage log.'),
  'openai-processing-ms': header('Milliseconds from the request to the response headers.'),
  'x-ratelimit-limit-requests': header('Request limit of the key for the period.'),
  'x-ratelimit-remaining-requests': header('Remaining requests in the period.'),
  'x-ratelimit-reset-requests': header(
    'Time until the request limit is fully replenished, for example `1s` or `6m0s`.',
  ),
  'x-ratelimit-limit-tokens': header('Token limit of the key per minute.'),
  'x-ratelimit-remaining-tokens': header('Remaining tokens in the minute.'),
  'x-ratelimit-reset-tokens': header('Time until the token limit is fully replenished.'),
  'x-sluice-provider': header('The provider that processed the request.'),
  'x-sluice-model': header('The model that processed the request: `provider/model`.'),
  'x-sluice-cost': header(
    'Cost in USD, as a decimal. Absent if the price of the model is unknown. Streams report it as `usage.cost` in the last chunk.',
  ),
  'x-sluice-max-tokens': header(
    'Maximum output tokens that were set for the request, because it specified none and its budgets do not cover the longest response.',
  ),
  'x-sluice-cache': header(
    '`hit` if the response is from the response cache, else `miss`. Absent if the cache is not used.',
  ),
  'x-sluice-dropped-params': header(
    'Comma-separated parameters that the provider does not support and that were dropped.',
  ),
  'x-sluice-moderation': header(
    'Flagged categories of a chat that is moderated with the action `annotate`: `input=none; output=violence`.',
  ),
  'retry-after': header('Seconds to wait before the request is sent again.'),
  'retry-after-ms': header('Milliseconds to wait before the request is sent again.'),
  'x-should-retry': header('`false` if repeating the request would fail in the same way.'),
  'www-authenticate': header('`Bearer`.'),
  'idempotency-replayed': header(
    '`true` if the response belongs to an earlier request with the same `Idempotency-Key`.',
  ),
} as const;

export const requestId = refs(['x-request-id']);
export const everyAnswer = refs(['x-request-id', 'openai-processing-ms']);
/** Headers of every response to an authenticated request. */
export const limited = {
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
/** Headers of responses to a `POST`. */
export const replayed = refs(['idempotency-replayed']);
/** Headers of responses from a model. */
export const routed = {
  ...limited,
  ...refs([
    'x-sluice-provider',
    'x-sluice-model',
    'x-sluice-cost',
    'x-sluice-max-tokens',
    'x-sluice-cache',
    'x-sluice-dropped-params',
  ]),
};

/** The error format: that of OpenAI's, Cohere's, Anthropic's or Google's clients. */
export type ErrorSchema = Extract<SchemaName, 'Error' | 'CohereError' | 'AnthropicError' | 'GoogleError'>;

export function ref(name: SchemaName): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

export function refs(names: readonly (keyof typeof headers)[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function header(description: string): { description: string; schema: { type: 'string' } } {
  return { description, schema: { type: 'string' } };
}

export function answer(
  description: string,
  schema: SchemaName,
  itsHeaders: Record<string, unknown>,
): ResponseDefinition {
  return { description, headers: itsHeaders, content: { 'application/json': { schema: ref(schema) } } };
}

/** OpenAPI links to operations on the `id` of a response. */
export function linksById(...operationIds: readonly string[]): Record<string, object> {
  return Object.fromEntries(
    operationIds.map((operationId) => [operationId, { operationId, parameters: { id: '$response.body#/id' } }]),
  );
}

/**
 * A stream of server-sent events with JSON in `data`; the last event may be `[DONE]`.
 * Source of the format: OpenAPI 3.2, "Special Considerations for text/event-stream Content".
 */
export function events(data: SchemaName): Readonly<Record<'text/event-stream', object>> {
  const json = { type: 'string', contentMediaType: 'application/json', contentSchema: ref(data) };
  const schema = { type: 'object', properties: { event: { type: 'string' }, data: json }, required: ['data'] };
  return { 'text/event-stream': { schema } };
}

/** Query parameters of a list, in the order of creation. @param what an item in it @param order the default */
export function pageParameters(
  what: string,
  limit = { max: 100, default: 20 },
  order: 'asc' | 'desc' = 'desc',
): readonly unknown[] {
  return [
    {
      name: 'limit',
      in: 'query',
      schema: { type: 'integer', minimum: 0, maximum: limit.max, default: limit.default },
    },
    { name: 'order', in: 'query', schema: { type: 'string', enum: ['asc', 'desc'], default: order } },
    {
      name: 'after',
      in: 'query',
      schema: { type: 'string' },
      description: `ID of the ${what} that the page starts after.`,
    },
  ];
}
