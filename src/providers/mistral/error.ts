import { readOpenAiError, type ReadError } from '../shared/http/upstream-error.ts';
import { isObject } from '../../protocols/canonical/json-members.ts';

const MAX_MESSAGE_LENGTH = 2_000;

/** Mistral's errors: OpenAI's format, or FastAPI's list of validation errors. Source: recorded errors of status 422 */
export const readMistralError: ReadError = (body) => {
  const details = readOpenAiError(body);
  if (details !== null) return details;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return null;
  }
  if (!isObject(parsed)) return null;
  const holder = isObject(parsed.message) ? parsed.message : parsed;
  const [fault] = Array.isArray(holder.detail) ? holder.detail : [];
  if (!isObject(fault) || typeof fault.msg !== 'string') return null;
  const [, ...path] = Array.isArray(fault.loc) ? fault.loc : [];
  const param = path.join('.');
  const code = typeof fault.type === 'string' ? fault.type : null;
  const message = (param === '' ? fault.msg : `${param}: ${fault.msg}`).slice(0, MAX_MESSAGE_LENGTH);
  return { message, type: 'invalid_request_error', code, param: param === '' ? null : param };
};
