import type { SchemaName } from './schemas.ts';

/** What may come back, as far as it is read here. */
export interface Answer extends Readonly<Record<string, unknown>> {
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
  readonly responses: Readonly<Record<string, Answer>>;
}

/** Headers of answers, by name. */
export const headers = {
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
  'x-sluice-cost': header(
    'USD, as a decimal. Absent where no price of the model is known. On streams it stands in the last chunk’s `usage.cost`.',
  ),
  'x-sluice-max-tokens': header(
    'Most tokens of the answer, where the request set none and its budgets have no room for the longest one.',
  ),
  'x-sluice-cache': header('Whether the answer came from the cache: `hit` or `miss`. Absent where it is not used.'),
  'x-sluice-dropped-params': header(
    'Parameters that the provider does not take and was not sent, separated by commas.',
  ),
  'x-sluice-moderation': header('Where a chat is moderated and annotated: `input=none; output=violence`.'),
  'retry-after': header('Seconds until the request may be sent again.'),
  'retry-after-ms': header('The same in milliseconds.'),
  'x-should-retry': header('`false` where the same request would meet the same refusal.'),
  'www-authenticate': header('`Bearer`.'),
  'idempotency-replayed': header('`true` on the answer of an earlier request with the same `Idempotency-Key`.'),
} as const;

export const requestId = refs(['x-request-id']);
export const everyAnswer = refs(['x-request-id', 'openai-processing-ms']);
/** What an answer to a known key has. */
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
/** What an answer to a `POST` may have. */
export const replayed = refs(['idempotency-replayed']);
/** What an answer of a model has. */
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

/** How an error is written: as OpenAI's clients read it, or Cohere's. */
export type ErrorSchema = Extract<SchemaName, 'Error' | 'CohereError'>;

export function ref(name: SchemaName): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

export function refs(names: readonly (keyof typeof headers)[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function header(description: string): { description: string; schema: { type: 'string' } } {
  return { description, schema: { type: 'string' } };
}

export function answer(description: string, schema: SchemaName, itsHeaders: Record<string, unknown>): Answer {
  return { description, headers: itsHeaders, content: { 'application/json': { schema: ref(schema) } } };
}

/** Operations on what an answer names by its `id`. */
export function linksById(...operationIds: readonly string[]): Record<string, object> {
  return Object.fromEntries(
    operationIds.map((operationId) => [operationId, { operationId, parameters: { id: '$response.body#/id' } }]),
  );
}

/**
 * A stream of server-sent events, as its reader has each: JSON in `data`, but a last `[DONE]` where there is one.
 * Source: OpenAPI 3.2, "Special Considerations for text/event-stream Content", whose form of an event is used here.
 */
export function events(data: SchemaName): Readonly<Record<'text/event-stream', object>> {
  const json = { type: 'string', contentMediaType: 'application/json', contentSchema: ref(data) };
  const schema = { type: 'object', properties: { event: { type: 'string' }, data: json }, required: ['data'] };
  return { 'text/event-stream': { schema } };
}
