import type { SluiceError } from '../../errors/index.ts';
import { contextOverflow, isContextOverflow, overflowMessage } from '../canonical/context-overflow.ts';
import type { ProviderErrorDetails, ReportedError } from '../canonical/reported-error.ts';
import { countOf, listOf, objectOf, textOf, type JsonObject } from '../canonical/json-members.ts';

const MAX_MESSAGE_LENGTH = 2_000;

/**
 * Reads `{"error":{"code","message","status","details"}}`, also as the only item of a list. Source: google.rpc.Status
 * with its RetryInfo and ErrorInfo; cloud.google.com/apis/design/errors.
 */
export function readGoogleError(body: string): ProviderErrorDetails | null {
  try {
    const parsed: unknown = JSON.parse(body);
    return readErrorDetails(Array.isArray(parsed) ? parsed[0] : parsed);
  } catch {
    return null;
  }
}

/**
 * HTTP statuses of Google's error codes. Source: google.rpc.Code; cloud.google.com/apis/design/errors, "HTTP mapping".
 */
const statuses: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

/** The same, for an event of a stream or a response that is an error; null for anything else. */
export function reportedError(answer: unknown): ReportedError | null {
  const reported = readErrorDetails(answer);
  if (reported === null) return null;
  const { message, type, code, param, isCredentials } = reported;
  return { message, type, code, param, status: isCredentials ? 401 : statusOf(objectOf(objectOf(answer)?.error)) };
}

function statusOf(error: JsonObject | null): number | null {
  const name = textOf(error?.status);
  if (name !== null && Object.hasOwn(statuses, name)) return statuses[name] ?? null;
  const code = countOf(error?.code);
  return code !== null && code >= 400 && code < 600 ? code : null;
}

function readErrorDetails(answer: unknown): ProviderErrorDetails | null {
  const error = objectOf(objectOf(answer)?.error);
  // Truncated before it is searched: the server may be anyone's, and the message of any length.
  const message = textOf(error?.message)?.slice(0, MAX_MESSAGE_LENGTH) ?? '';
  if (error === null || message === '') return null;
  const details = listOf(error.details).map((detail) => objectOf(detail) ?? {});
  const isTooLong = isContextOverflow(message);
  return {
    message: isTooLong ? overflowMessage(message) : message,
    type: null,
    code: isTooLong ? 'context_length_exceeded' : unknownModel(error, message),
    param: isTooLong ? 'messages' : null,
    retryAfterMs: retryDelay(details),
    // Google returns 400 for an invalid key.
    isCredentials: details.some(({ reason }) => typeof reason === 'string' && reason.startsWith('API_KEY_')),
  };
}

function unknownModel({ status }: JsonObject, message: string): string | null {
  return status === 'NOT_FOUND' && /\bmodels?\b/i.test(message) ? 'model_not_found' : null;
}

/** A duration in seconds with the suffix `s`: `34.4s`. */
function retryDelay(details: readonly JsonObject[]): number | undefined {
  for (const { '@type': type, retryDelay: delay } of details) {
    if (typeof type !== 'string' || !type.endsWith('google.rpc.RetryInfo')) continue;
    const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(textOf(delay) ?? '')?.[1];
    if (seconds !== undefined) return Number(seconds) * 1_000;
  }
  return undefined;
}

const namesOfStatuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** An error in Google's envelope. @param message the error's own if absent */
export function renderGeminiError(error: SluiceError, message = error.message): string {
  const { status: code, retryAfterMs, param } = error;
  const status = namesOfStatuses[code] ?? (code < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  const details: object[] = [];
  if (param !== null)
    details.push({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: param, description: message }],
    });
  if (retryAfterMs !== undefined)
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterMs / 1_000}s` });
  const text = textOfError(error, message);
  return JSON.stringify({ error: { code, message: text, status, ...(details.length > 0 && { details }) } });
}

/** Google's clients compact a conversation when they read this text. */
function textOfError({ wireCode, param }: SluiceError, message: string): string {
  if (wireCode === 'context_length_exceeded') {
    const { tokens, maximum } = contextOverflow(message);
    if (tokens !== null && maximum !== null)
      return `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${maximum}).`;
    return `The input token count exceeds the maximum number of tokens allowed: ${message}`;
  }
  return param === null || message.includes(param) ? message : `${param}: ${message}`;
}
