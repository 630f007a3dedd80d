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
  'x-sluice-moderation': header('Where a chat is moderated and annotated: `input=none; output=violence`.'),
  'idempotency-replayed': header('`true` on the answer of an earlier request with the same `Idempotency-Key`.'),
} as const;

export const everyAnswer = refs(['x-request-id', 'openai-processing-ms']);
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
/** What an answer to a `POST` may have. */
export const replayed = refs(['idempotency-replayed']);
/** What an answer of a model has. */
export const routed = {
  ...limited,
  ...refs(['x-sluice-provider', 'x-sluice-model', 'x-sluice-cost', 'x-sluice-max-tokens']),
};

export const refused = {
  '401': failure('No key, or one that is not known.'),
  '403': failure('The key lacks the scope.'),
  '503': failure('Not now: `retry-after` says when.'),
};

/** What may become of every request to a model, beside its answer. */
export const failures = {
  '400': failure('The request is not well-formed: `param` names the member at fault.'),
  ...refused,
  '404': failure('No such model.'),
  '413': failure('The body is too large.'),
  '415': failure('The body is no JSON.'),
  '429': failure('A limit is reached: `retry-after` says when to come again.'),
  '502': failure('The provider failed.'),
  '504': failure('The provider was silent for too long.'),
} as const;

/** A `POST` of JSON that is answered with JSON. */
export function jsonOperation(
  told: Pick<Operation, 'operationId' | 'summary' | 'description' | 'tags'>,
  request: SchemaName,
  answered: SchemaName,
): Operation {
  return {
    ...told,
    requestBody: { required: true, content: { 'application/json': { schema: ref(request) } } },
    responses: { '200': answer('The answer.', answered, routed), ...failures },
  };
}

export function ref(name: SchemaName): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

function refs(names: readonly (keyof typeof headers)[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function header(description: string): { description: string; schema: { type: 'string' } } {
  return { description, schema: { type: 'string' } };
}

export function answer(
  description: string,
  schema: SchemaName,
  itsHeaders: Record<string, unknown>,
): Record<string, unknown> {
  return { description, headers: itsHeaders, content: { 'application/json': { schema: ref(schema) } } };
}

export function failure(description: string): Record<string, unknown> {
  return answer(description, 'Error', everyAnswer);
}
