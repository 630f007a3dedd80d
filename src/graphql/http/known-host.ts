import type { RequestHandler } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { sendsApiKey } from '../../services/client-request/request-credentials.ts';
import { hasSiteCookie } from '../../services/sessions/site-cookies.ts';
import { sendError } from './send-error.ts';
import type { GraphqlSettings } from '../settings.ts';

/**
 * Rejects requests with a session, or without credentials, under an unknown host name: otherwise any site could send them by
 * DNS rebinding. Requests with only an API key are allowed under any host name; they never receive a session.
 */
export function requireKnownHost(isKnownHost: GraphqlSettings['isKnownHost']): RequestHandler {
  return (request, response, next) => {
    const { host, headers } = request;
    const hasKeyAlone = sendsApiKey(headers) && !hasSiteCookie(headers.cookie);
    if (hasKeyAlone || isKnownHost(host)) next();
    else sendError(response, new SluiceError('host_not_allowed', { values: { host: String(host).slice(0, 100) } }));
  };
}
