import { countOf, filledTextOf, isObject, membersOf, type JsonObject } from '../../protocols/canonical/json-members.ts';
import type { HttpAnswer, PartResult } from '../shared/batches/batch-service.ts';

/** A result that is too long, as a response that is invalid, so that the request fails as if it had been sent alone. */
export const TOO_LONG = { response: null };

const [CANCELLED, UNKNOWN] = [1, 2];

/** Google's codes and their HTTP statuses by number. Source: google.rpc.Code (google/rpc/code.proto). */
const codes: readonly (readonly [name: string, status: number])[] = [
  ['OK', 200],
  ['CANCELLED', 499],
  ['UNKNOWN', 500],
  ['INVALID_ARGUMENT', 400],
  ['DEADLINE_EXCEEDED', 504],
  ['NOT_FOUND', 404],
  ['ALREADY_EXISTS', 409],
  ['PERMISSION_DENIED', 403],
  ['RESOURCE_EXHAUSTED', 429],
  ['FAILED_PRECONDITION', 400],
  ['ABORTED', 409],
  ['OUT_OF_RANGE', 400],
  ['UNIMPLEMENTED', 501],
  ['INTERNAL', 500],
  ['UNAVAILABLE', 503],
  ['DATA_LOSS', 500],
  ['UNAUTHENTICATED', 401],
];

/**
 * A line of the file of results: `key` with `response`, or with `error` of the type google.rpc.Status. Null for a request that was
 * not run. Source: ai.google.dev/gemini-api/docs/batch-api.
 */
export function resultOf({ key: id, response, error, status }: JsonObject): PartResult | null {
  if (typeof id !== 'string') return null;
  const failure = [error, status].find(isObject);
  if (failure === undefined) return { id, status: 200, body: JSON.stringify(response ?? null) };
  return isCancelled(failure) ? null : { id, ...answerOfStatus(failure) };
}

export function isCancelled({ code }: JsonObject): boolean {
  return code === CANCELLED;
}

/** An error of the type google.rpc.Status, as the response that a single request has. */
export function answerOfStatus(error: JsonObject): HttpAnswer {
  // An error without a code, or with that of success, is an unknown one.
  const code = countOf(error.code) || UNKNOWN;
  const [name, status] = codes[code] ?? [undefined, code >= 400 && code < 600 ? code : 500];
  const message = filledTextOf(error.message) ?? 'The provider refused the batch.';
  return { status, body: JSON.stringify({ error: { ...membersOf(error), code: status, message, status: name } }) };
}
