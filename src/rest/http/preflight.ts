import type { RequestHandler } from 'express';
import { KEY_HEADERS, sendsApiKey } from '../../services/client-request/request-credentials.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';

/** Headers that the official SDKs and common clients send. */
const defaultHeaders = [
  'authorization',
  ...KEY_HEADERS,
  'content-type',
  'accept',
  'idempotency-key',
  'openai-organization',
  'openai-project',
  'openai-beta',
  'x-client-request-id',
  'x-stainless-lang',
  'x-stainless-package-version',
  'x-stainless-os',
  'x-stainless-arch',
  'x-stainless-runtime',
  'x-stainless-runtime-version',
  'x-stainless-retry-count',
  'x-stainless-timeout',
  'x-stainless-helper-method',
  'x-stainless-async',
];

/** A list of header names (RFC 9110, field-name). */
const headerNames = /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

const MAX_LIST_LENGTH = 2000;

const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/**
 * Handles CORS preflight requests. Any origin and header is allowed, because requests authenticate by a key. Credentials are not
 * allowed: sessions are only accepted from pages of this host (session-key.ts).
 */
export const answerPreflight: RequestHandler = (request, response, next) => {
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
    next();
    return;
  }
  const requested = request.headers['access-control-request-headers'] ?? '';
  const wellFormed = requested.length <= MAX_LIST_LENGTH && headerNames.test(requested);
  setStandardHeaders(response);
  response.removeHeader('access-control-expose-headers');
  response.writeHead(204, {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': allMethods,
    'access-control-allow-headers': wellFormed ? requested : defaultHeaders.join(', '),
    'access-control-max-age': '7200',
    vary: 'access-control-request-headers',
  });
  response.end();
};

/**
 * Handles OPTIONS without a key that is no preflight, for example of a load balancer: the same response for every path, so that it
 * does not reveal which exist. Requests with a key receive the methods of the path.
 */
export const answerUnauthenticatedOptions: RequestHandler = (request, response, next) => {
  if (request.method !== 'OPTIONS' || sendsApiKey(request.headers)) {
    next();
    return;
  }
  response.writeHead(204, { allow: allMethods });
  response.end();
};
