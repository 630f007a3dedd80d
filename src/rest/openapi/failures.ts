import { answer, everyAnswer, refs, type Answer, type ErrorSchema } from './parts.ts';

/** The statuses of errors that routes answer with, and what each says where a route says nothing more exact. */
const meanings = {
  '400': 'The request is not well-formed: `param` names the member at fault.',
  '401': 'No key, or one that is not known.',
  '403': 'The key may not do this: it lacks the scope, or the plan does not include it.',
  '404': 'No such model.',
  '409': 'The state of what is stored does not allow it.',
  '413': 'The body is too large.',
  '415': 'The body has another content type or encoding than those that are read here.',
  '429': 'A limit is reached: `retry-after` says when to come again.',
  '500': 'The server failed: `x-request-id` names the request to the operator.',
  '502': 'The provider failed.',
  '503': 'Not now: `retry-after` says when.',
  '504': 'The provider was silent for too long.',
} as const;

export type FailureStatus = keyof typeof meanings;

/** What some statuses say in headers too. */
const furtherHeaders: Readonly<Partial<Record<FailureStatus, Record<string, unknown>>>> = {
  '401': refs(['www-authenticate']),
  '409': refs(['retry-after', 'retry-after-ms', 'x-should-retry']),
  '429': refs(['retry-after', 'retry-after-ms', 'x-should-retry']),
  '503': refs(['retry-after', 'retry-after-ms']),
};

/** An error of this status, in the form that the clients of the route read. */
export function failure(
  status: FailureStatus,
  description: string = meanings[status],
  errors: ErrorSchema = 'Error',
): Answer {
  return answer(description, errors, { ...everyAnswer, ...furtherHeaders[status] });
}

/** Errors of these statuses, each with its usual meaning. */
export function failing(...statuses: readonly FailureStatus[]): Record<string, Answer> {
  return failingAs('Error', statuses);
}

function failingAs(errors: ErrorSchema, statuses: readonly FailureStatus[]): Record<string, Answer> {
  return Object.fromEntries(statuses.map((status) => [status, failure(status, undefined, errors)]));
}

/** What may become of every request that needs a key. */
export const refused = failing('400', '401', '403', '500', '503');

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

/** What may become of every request to a model, beside its answer. */
export const failures = failingAs('Error', ofModels);

/** The same in the form that Cohere's clients read. */
export const failuresForCohere = failingAs('CohereError', ofModels);
