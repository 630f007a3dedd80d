import { documentedHeaders, type DocumentedHeader } from '../headers/documented-headers.ts';
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
export const headers = Object.fromEntries(
  Object.entries(documentedHeaders).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
);

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
/** Headers of a count of tokens. */
export const counted = { ...limited, ...refs(['x-sluice-estimated']) };
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

export function refs(names: readonly DocumentedHeader[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
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
