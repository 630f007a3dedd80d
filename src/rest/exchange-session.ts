import type { RequestHandler } from 'express';
import type { SessionExchange } from '../services/accounts/session-exchange.ts';
import type { SiteCookies } from '../services/accounts/site-cookies.ts';

/**
 * Takes the cookie of a session from before this server had an https address for the last time: the answer sets the one that
 * browsers keep to https and to this host, and clears the other.
 */
export function exchangeSession(cookies: SiteCookies, sessions: Pick<SessionExchange, 'exchange'>): RequestHandler {
  return async (request, response, next) => {
    const { cookie } = request.headers;
    const before = cookies.formerSessionIn(cookie);
    if (before === null) return next();
    const exchanged = await sessions.exchange(before);
    const { name, options } = cookies.formerSession;
    response.clearCookie(name, options);
    if (exchanged === null) return next();
    const own = cookies.session(true);
    response.cookie(own.name, exchanged.token, { ...own.options, expires: exchanged.expiresAt });
    // What comes after finds the session as in the requests to come.
    request.headers.cookie = `${cookie}; ${own.name}=${exchanged.token}`;
    next();
  };
}
