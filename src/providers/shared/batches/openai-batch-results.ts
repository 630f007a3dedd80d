import {
  filledTextOf,
  isObject,
  membersOf,
  textOf,
  type JsonObject,
} from '../../../protocols/canonical/json-members.ts';
import type { HttpAnswer, PartResult } from './batch-service.ts';

/** Requests that were not run, which is no result of theirs. */
const unrun: ReadonlySet<string> = new Set(['batch_expired', 'batch_cancelled']);

/** A result that is too long, as a response that is invalid, so that the request fails as if it had been sent alone. */
export const TOO_LONG = { response: { status_code: 200, body: null } };

/**
 * A line of the output or error file of a batch. Null for a request that was not run. Source: OpenAI's API document,
 * BatchRequestOutput.
 */
export function resultOf({ custom_id: id, response, error }: JsonObject): PartResult | null {
  if (typeof id !== 'string') return null;
  if (isObject(response)) {
    const { status_code: status, body } = response;
    return { id, status: typeof status === 'number' ? status : 200, body: JSON.stringify(body ?? null) };
  }
  const { code } = membersOf(error);
  if (typeof code === 'string' && unrun.has(code)) return null;
  return { id, ...failureOf(membersOf(error), 500) };
}

/** An error of a batch, as a response. */
export function failureOf({ code, message, param }: JsonObject, status = 400): HttpAnswer {
  const error = {
    message: filledTextOf(message) ?? 'The provider refused the batch.',
    type: status === 400 ? 'invalid_request_error' : 'server_error',
    param: textOf(param),
    code: textOf(code),
  };
  return { status, body: JSON.stringify({ error }) };
}
