import { answer, everyAnswer, refs, type ResponseDefinition, type ErrorSchema } from './parts.ts';

/** Default descriptions of error statuses. */
const meanings = {
  '400': 'The request is not valid. `param` names the invalid member.',
  '401': 'The API key is missing, wrong, revoked or expired.',
  '403': 'The key is not allowed to do this: it lacks the scope, or the plan does not include it.',
  '404': 'The model does not exist.',
  '409': 'The request conflicts with the current state of the resource.',
  '413': 'The request body is too large.',
  '415': 'The content type or encoding of the body is not supported.',
  '429': 'A limit is reached. `retry-after` contains the time to wait.',
  '500': 'Internal server error. Include `x-request-id` when you report it.',
  '502': 'The provider returned an error or could not be reached.',
  '503': 'Temporarily unavailable. `retry-after` contains the time to wait.',
  '504': 'The provider did not respond in time.',
} as const;

export type FailureStatus = keyof typeof meanings;

/** Additional headers of some statuses. */
const furtherHeaders: Readonly<Partial<Record<FailureStatus, Record<string, unknown>>>> = {
  '401': refs(['www-authenticate']),
  '409': refs(['retry-after', 'retry-after-ms', 'x-should-retry']),
  '429': refs(['retry-after', 'retry-after-ms', 'x-should-retry']),
  '503': refs(['retry-after', 'retry-after-ms']),
};

/** A response with an error, in the format that the clients of the route read. */
export function failure(
  status: FailureStatus,
  description: string = meanings[status],
  errors: ErrorSchema = 'Error',
): ResponseDefinition {
  return answer(description, errors, { ...everyAnswer, ...furtherHeaders[status] });
}

/** Error responses with their default descriptions. */
export function failing(...statuses: readonly FailureStatus[]): Record<string, ResponseDefinition> {
  return failingAs('Error', statuses);
}

function failingAs(errors: ErrorSchema, statuses: readonly FailureStatus[]): Record<string, ResponseDefinition> {
  return Object.fromEntries(statuses.map((status) => [status, failure(status, undefined, errors)]));
}

/** Errors of every request that requires a key. */
export const refused = failing('400', '401', '403', '500', '503');

/** The same in the format that Anthropic's clients read. */
export function failingForAnthropic(...statuses: readonly FailureStatus[]): Record<string, ResponseDefinition> {
  return failingAs('AnthropicError', statuses);
}

const ofModels: readonly FailureStatus[] = [
  '400',
  '401',
  '403',
  '404',
  '413',
  '415',
  '429',
  '500',
  '502',
  '503',
  '504',
];

/** Errors of every request to a model. */
export const failures = failingAs('Error', ofModels);

/** The same in the format that Cohere's clients read. */
export const failuresForCohere = failingAs('CohereError', ofModels);

/** The same in the format that Anthropic's clients read. */
export const failuresForAnthropic = failingAs('AnthropicError', ofModels);

/** The same in the format that Google's clients read. */
export const failuresForGoogle = failingAs('GoogleError', ofModels);

export function failingForGoogle(...statuses: readonly FailureStatus[]): Record<string, ResponseDefinition> {
  return failingAs('GoogleError', statuses);
}
