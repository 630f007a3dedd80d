import type { RequestHandler } from 'express';
import { KEY_HEADERS } from '../../services/client-request/request-credentials.ts';

const METHODS = 'GET, POST';
/** Request headers of the API and of common clients. */
const ALLOWED_HEADERS = [
  'authorization',
  ...KEY_HEADERS,
  'content-type',
  'apollo-require-preflight',
  'x-sluice-query-cost',
  'x-apollo-operation-name',
  'apollographql-client-name',
  'apollographql-client-version',
].join(', ');
const EXPOSED_HEADERS = 'retry-after, x-request-id';
const MAX_AGE_SECONDS = '7200';

/**
 * Allows pages of these origins to send requests with an API key or an access token. Cookies are never allowed: sessions are
 * limited to this host's own pages. Browsers block all other origins.
 */
export function crossOrigin(allowed: readonly string[]): RequestHandler {
  return (request, response, next) => {
    const { origin } = request.headers;
    response.vary('origin');
    if (origin === undefined || !allowed.includes(origin)) return next();
    response.setHeader('access-control-allow-origin', origin);
    if (request.method !== 'OPTIONS') {
      response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
      return next();
    }
    response
      .status(204)
      .setHeader('access-control-allow-methods', METHODS)
      .setHeader('access-control-allow-headers', ALLOWED_HEADERS)
      .setHeader('access-control-max-age', MAX_AGE_SECONDS)
      .end();
  };
}
