import type { RequestHandler } from 'express';
import { KEY_HEADERS } from '../services/accounts/request-credentials.ts';

const METHODS = 'GET, POST';
/** What is asked with, and what common clients say of themselves. */
const ASKED_WITH = [
  'authorization',
  ...KEY_HEADERS,
  'content-type',
  'apollo-require-preflight',
  'x-sluice-query-cost',
  'x-apollo-operation-name',
  'apollographql-client-name',
  'apollographql-client-version',
].join(', ');
const EXPOSED = 'retry-after, x-request-id';
const REMEMBERED_S = '7200';

/**
 * Lets pages of these origins ask with a key or an access token. Never with a cookie: a session asks from this host's own pages
 * alone. All others are stopped by their browsers.
 */
export function crossOrigin(allowed: readonly string[]): RequestHandler {
  return (request, response, next) => {
    const { origin } = request.headers;
    response.vary('origin');
    if (origin === undefined || !allowed.includes(origin)) return next();
    response.setHeader('access-control-allow-origin', origin);
    if (request.method !== 'OPTIONS') {
      response.setHeader('access-control-expose-headers', EXPOSED);
      return next();
    }
    response
      .status(204)
      .setHeader('access-control-allow-methods', METHODS)
      .setHeader('access-control-allow-headers', ASKED_WITH)
      .setHeader('access-control-max-age', REMEMBERED_S)
      .end();
  };
}
