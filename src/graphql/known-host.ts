import type { RequestHandler } from 'express';
import { SluiceError } from '../errors/index.ts';
import { sendsApiKey } from '../services/accounts/request-credentials.ts';
import { hasSiteCookie } from '../services/accounts/site-cookies.ts';
import { answerFault } from './answer-fault.ts';
import type { GraphqlSettings } from './settings.ts';

/**
 * Answers a session, and nobody in particular, under the server's own names alone: else a page of any site could ask by making
 * its name lead here (DNS rebinding). A program with a key may know this server by any name; it gets no session there.
 */
export function requireKnownHost(isKnownHost: GraphqlSettings['isKnownHost']): RequestHandler {
  return (request, response, next) => {
    const { host, headers } = request;
    const hasKeyAlone = sendsApiKey(headers) && !hasSiteCookie(headers.cookie);
    if (hasKeyAlone || isKnownHost(host)) next();
    else answerFault(response, new SluiceError('host_not_allowed', { values: { host: String(host).slice(0, 100) } }));
  };
}
