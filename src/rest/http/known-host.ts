import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { hostOf, sendsApiKey } from '../../services/client-request/request-credentials.ts';
import { hasSiteCookie } from '../../services/sessions/site-cookies.ts';

/** Whether this host name belongs to this server. */
export type IsKnownHost = (host: string | undefined) => boolean;

/** Paths for programs. They authenticate by a key, a signature or not at all, so any host name is accepted. */
const programPaths =
  /^\/(?:(?:v1|v1beta|v2|openai|media|webhooks|\.well-known)(?:\/|$)|(?:healthz|readyz|metrics|openapi\.json)$)/;

/**
 * Restricts pages and session requests of browsers to the names of this server, against DNS rebinding. GraphQL and sessions of
 * `/v1` check the host themselves, to respond in their own format.
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
