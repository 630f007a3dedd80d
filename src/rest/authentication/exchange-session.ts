import type { RequestHandler } from 'express';
import type { SessionExchange } from '../../services/sessions/session-exchange.ts';
import type { SiteCookies } from '../../services/sessions/site-cookies.ts';

/**
 * Migrates the session cookie of a server that has got an https origin: the response sets the cookie that browsers restrict to
 * https and this host, and clears the previous one.
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
    // The following handlers find the session as in later requests.
    request.headers.cookie = `${cookie}; ${own.name}=${exchanged.token}`;
    next();
  };
}
