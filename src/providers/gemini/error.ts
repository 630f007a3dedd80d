import type { ToldError } from '../shared/upstream-error.ts';
import { list, text, wire, type Wire } from './wire.ts';

const LONGEST_MESSAGE = 2_000;

/**
 * Reads `{"error":{"code","message","status","details"}}`, and the same as the only one of a list.
 * Source: google.rpc.Status with its RetryInfo and ErrorInfo; cloud.google.com/apis/design/errors.
 */
export function readGoogleError(body: string): ToldError | null {
  try {
    const parsed: unknown = JSON.parse(body);
    return toldError(Array.isArray(parsed) ? parsed[0] : parsed);
  } catch {
    return null;
  }
}

/** The same, of an answer that is an error in place of an answer; null for what is none. */
export function toldError(answer: unknown): ToldError | null {
  const error = wire(wire(answer)?.error);
  const message = text(error?.message);
  if (error === null || message === null || message === '') return null;
  const details = list(error.details).map((detail) => wire(detail) ?? {});
  const isTooLong = /token count.*exceeds the maximum/is.test(message);
  return {
    message: message.slice(0, LONGEST_MESSAGE),
    type: null,
    code: isTooLong ? 'context_length_exceeded' : unknownModel(error, message),
    param: isTooLong ? 'messages' : null,
    retryAfterMs: retryDelay(details),
    // Google answers a wrong key with 400.
    isCredentials: details.some(({ reason }) => typeof reason === 'string' && reason.startsWith('API_KEY_')),
  };
}

function unknownModel({ status }: Wire, message: string): string | null {
  return status === 'NOT_FOUND' && /\bmodels?\b/i.test(message) ? 'model_not_found' : null;
}

/** A duration is seconds and an `s`: `34.4s`. */
function retryDelay(details: readonly Wire[]): number | undefined {
  for (const { '@type': type, retryDelay: delay } of details) {
    if (typeof type !== 'string' || !type.endsWith('google.rpc.RetryInfo')) continue;
    const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(text(delay) ?? '')?.[1];
    if (seconds !== undefined) return Number(seconds) * 1_000;
  }
  return undefined;
}
