import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { apiKeyIn, cookieIn, hostOf, selectedAccountIn } from '../../services/client-request/request-credentials.ts';
import { SluiceError } from '../../errors/index.ts';
import { DEVICE_LIFETIME_MS } from '../../services/identity/known-devices.ts';
import { hasSiteCookie, type SiteCookies } from '../../services/sessions/site-cookies.ts';
import { SIGN_UP_LIFETIME_MS } from '../../services/identity/pending-sign-ups.ts';
import type { Credentials, SetSignUpCookie, SetSession } from '../operation/context.ts';
import type { GraphqlSettings } from '../settings.ts';

export function httpCredentials(
  request: Request,
  { cookies, isLocal }: Pick<GraphqlSettings, 'cookies' | 'isLocal'>,
): Credentials {
  const { headers } = request;
  return {
    sessionToken: cookies.sessionIn(headers.cookie),
    pendingSignIn: cookies.pendingIn(headers.cookie),
    signUp: cookies.signUpIn(headers.cookie),
    device: cookies.deviceIn(headers.cookie),
    isLocal: isLocal(request),
    apiKey: apiKeyIn(headers),
    accountId: selectedAccountIn(headers['x-sluice-account']),
    address: request.ip ?? null,
    userAgent: headers['user-agent'] ?? null,
  };
}

/**
 * Credentials of a WebSocket: a cookie or an API key. Clients send the key in the payload of `connection_init`, in its `headers`,
 * or in the headers of the upgrade request. Names are case-insensitive.
 * @throws SluiceError conflicting_api_keys
 */
export function socketCredentials(
  request: IncomingMessage,
  params: Readonly<Record<string, unknown>> | undefined,
  cookies: SiteCookies,
): Credentials {
  const sent = socketHeaders(request, params);
  return {
    sessionToken: cookies.sessionIn(request.headers.cookie),
    pendingSignIn: null,
    device: null,
    apiKey: apiKeyOf(sent),
    accountId: selectedAccountIn(params?.account ?? sent.find((each) => each[ACCOUNT] !== undefined)?.[ACCOUNT]),
    address: addressOf(request),
    userAgent: request.headers['user-agent'] ?? null,
  };
}

const ACCOUNT = 'x-sluice-account';

/** All places where a socket can send its key, each as headers. */
function socketHeaders(
  request: IncomingMessage,
  params: Readonly<Record<string, unknown>> | undefined,
): readonly Readonly<Record<string, string>>[] {
  return [params, params?.headers, request.headers].map((source) => {
    if (typeof source !== 'object' || source === null) return {};
    const named = Object.entries(source).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
    );
    return Object.fromEntries(named);
  });
}

function apiKeyOf(sources: readonly Readonly<Record<string, string>>[]): string | null {
  const keys = new Set(sources.map((source) => apiKeyIn(source)).filter((key) => key !== null));
  if (keys.size > 1)
    throw new SluiceError('conflicting_api_keys', { values: { headers: 'the upgrade request and `connection_init`' } });
  return [...keys][0] ?? null;
}

/** Express's `ip` respects the trusted proxies; the host applies Express's prototype to upgrade requests too. */
function addressOf(request: IncomingMessage): string | null {
  return ('ip' in request && typeof request.ip === 'string' ? request.ip : request.socket.remoteAddress) ?? null;
}

/**
 * Whether the socket was opened by a page of this host or of an allowed origin. Browsers always send `Origin`, and send the
 * cookie for any page; other clients send no `Origin`. An unknown host is never an allowed origin.
 */
export function isKnownOrigin(
  request: IncomingMessage,
  { allowedOrigins, isKnownHost }: Pick<GraphqlSettings, 'allowedOrigins' | 'isKnownHost'>,
): boolean {
  const { origin, cookie } = request.headers;
  const host = hostOf(request);
  if (hasSiteCookie(cookie) && !isKnownHost(host)) return false;
  if (origin === undefined || allowedOrigins.includes(origin)) return true;
  return isKnownHost(host) && URL.canParse(origin) && new URL(origin).host === host;
}

export function sessionSetter(request: Request, response: Response, cookies: SiteCookies): SetSession {
  return (token, expiresAt, device) => {
    const { name, options } = cookies.session(request.secure);
    if (token === null) {
      response.clearCookie(name, options);
      return;
    }
    response.cookie(name, token, { ...options, ...(expiresAt && { expires: expiresAt }) });
    if (device !== undefined) {
      const known = cookies.device(request.secure);
      response.cookie(known.name, device, { ...known.options, maxAge: DEVICE_LIFETIME_MS });
    }
    for (const { name, options } of [cookies.pending(request.secure), cookies.signUp(request.secure)])
      if (cookieIn(request.headers.cookie, name) !== null) response.clearCookie(name, options);
  };
}

export function signUpCookieSetter(request: Request, response: Response, cookies: SiteCookies): SetSignUpCookie {
  return (browser) => {
    const { name, options } = cookies.signUp(request.secure);
    response.cookie(name, browser, { ...options, maxAge: SIGN_UP_LIFETIME_MS });
  };
}
