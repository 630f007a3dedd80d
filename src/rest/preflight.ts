import type { RequestHandler } from 'express';
import { KEY_HEADERS, sendsApiKey } from '../services/accounts/request-credentials.ts';
import { setStandardHeaders } from './answer-headers.ts';

/** What the official SDKs and common clients send. */
const usualHeaders = [
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

/** A list of header names, as a browser asks for them (RFC 9110, field-name). */
const headerNames = /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

const longestList = 2000;

const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/**
 * Answers a browser that asks before it sends. Any origin may call, with any header: what counts is the key. Cookies are not
 * among what is allowed: a session calls from this host's own pages alone (session-key.ts).
 */
export const answerPreflight: RequestHandler = (request, response, next) => {
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
    next();
    return;
  }
  const asked = request.headers['access-control-request-headers'] ?? '';
  const wellFormed = asked.length <= longestList && headerNames.test(asked);
  setStandardHeaders(response);
  response.removeHeader('access-control-expose-headers');
  response.writeHead(204, {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': allMethods,
    'access-control-allow-headers': wellFormed ? asked : usualHeaders.join(', '),
    'access-control-max-age': '7200',
    vary: 'access-control-request-headers',
  });
  response.end();
};

/**
 * Answers a stranger's OPTIONS that is no browser's question, such as a proxy's or a load balancer's: the same for every path,
 * so that it tells nothing of which exist. Who sends a key learns each path's own methods.
 */
export const answerStrangersOptions: RequestHandler = (request, response, next) => {
  if (request.method !== 'OPTIONS' || sendsApiKey(request.headers)) {
    next();
    return;
  }
  response.writeHead(204, { allow: allMethods });
  response.end();
};
