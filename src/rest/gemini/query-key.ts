import type { ErrorRequestHandler, RequestHandler } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { apiKeyIn, namesOfKeyHeaders } from '../../services/client-request/request-credentials.ts';
import { maskSecret } from '../../services/keys/secrets/key-format.ts';

const HEADER = 'x-goog-api-key';
const PARAMETER = 'the query parameter `key`';

declare global {
  namespace Express {
    interface Locals {
      /** The key that the URL contains, where it is the one of the request. */
      queryKey?: string;
    }
  }
}

/**
 * Google's clients may send the key in the URL.
 * @throws SluiceError conflicting_api_keys
 */
export const keyOfQuery: RequestHandler = (request, response, next) => {
  const { key } = request.query;
  if (typeof key !== 'string' || key.trim() === '') return next();
  const { headers } = request;
  const other = apiKeyIn(headers);
  if (other !== null && other !== key.trim())
    throw new SluiceError('conflicting_api_keys', {
      values: { headers: [...namesOfKeyHeaders(headers), PARAMETER].join(', ') },
    });
  if (other === null) {
    headers[HEADER] = key;
    response.locals.queryKey = key;
  }
  return next();
};

/** Says where a rejected key was, if that is the URL: its client sent no header. */
export const nameQueryKey: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const { queryKey } = response.locals;
  if (queryKey === undefined || !(error instanceof SluiceError) || error.code !== 'invalid_api_key') throw error;
  throw new SluiceError('invalid_api_key', {
    values: { key: `${maskSecret(queryKey)} (in ${PARAMETER})` },
    refusedKey: error.refusedKey ?? undefined,
  });
};
