import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { SluiceError } from '../errors/index.ts';
import { hostOf, sendsApiKey } from '../services/accounts/request-credentials.ts';
import { hasSiteCookie } from '../services/accounts/site-cookies.ts';

/** Whether a request for this host name was meant for this server. */
export type IsKnownHost = (host: string | undefined) => boolean;

/** What programs ask: a key, a signature or nothing at all lets them in, whatever name they know this server by. */
const programPaths =
  /^\/(?:(?:v1|v1beta|v2|openai|media|webhooks|\.well-known)(?:\/|$)|(?:healthz|readyz|metrics|openapi\.json)$)/;

/**
 * What a browser asks is answered under the server's own names alone: pages, and what a session or nobody in particular may do.
 * GraphQL looks by itself, to answer in its own form; so does what lets a session in to `/v1`.
 * @throws SluiceError host_not_allowed
 */
export function requireKnownHost(isKnownHost: IsKnownHost): RequestHandler {
  return (request, _response, next) => {
    if (!isForPrograms(request)) checkHost(request, isKnownHost);
    next();
  };
}

/** @throws SluiceError host_not_allowed */
export function checkHost(request: IncomingMessage, isKnownHost: IsKnownHost): void {
  const host = hostOf(request);
  if (!isKnownHost(host)) throw new SluiceError('host_not_allowed', { values: { host: String(host).slice(0, 100) } });
}

function isForPrograms({ path, headers }: Request): boolean {
  if (path === '/graphql') return true;
  if (hasSiteCookie(headers.cookie)) return false;
  return programPaths.test(path) || sendsApiKey(headers);
}
