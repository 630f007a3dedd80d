import express, { type Request, type Response, type Router } from 'express';
import { SluiceError } from '../../errors/index.ts';
import {
  cookieIn,
  cookieOptions,
  EXTERNAL_FLOW_COOKIE,
  PENDING_SIGN_IN_COOKIE,
  SESSION_COOKIE,
  sessionTokenIn,
} from '../../services/accounts/request-credentials.ts';
import type { SessionIdentity, SessionsService } from '../../services/accounts/sessions.service.ts';
import { FLOW_MS, type ExternalSignIn, type Outcome } from '../../services/identity/external/external-sign-in.ts';
import { onlyMethods, type EdgeLog } from '../errors.ts';
import { fromThere } from '../from-there.ts';
import { identityOf } from '../request-identity.ts';

export interface AuthDependencies {
  readonly external: ExternalSignIn;
  readonly sessions: SessionsService;
  readonly log: EdgeLog;
}

const SIGN_IN_PAGE = '/sign-in';

/**
 * `GET /auth/{provider}/start` and `/callback`: what a browser visits to sign in at an identity provider. Whatever fails, a
 * person stands before it: they are sent to the sign-in page, with the error's code.
 */
export function buildAuthRouter(deps: AuthDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  router
    .route('/auth/:provider/start')
    .get((request, response) => start(deps, request, response))
    .all(onlyMethods('GET', 'HEAD', 'OPTIONS'));
  router
    .route('/auth/:provider/callback')
    .get((request, response) => fromThere(request, response, () => callback(deps, request, response)))
    .all(onlyMethods('GET', 'HEAD', 'OPTIONS'));
  return router;
}

async function start(
  deps: AuthDependencies,
  request: Request<{ provider: string }>,
  response: Response,
): Promise<void> {
  const { provider } = request.params;
  try {
    const linking = request.query.link === '1' ? await requireOwnClick(deps, request) : null;
    const { location, cookie } = await deps.external.start(provider, request.query.return, linking);
    response.cookie(EXTERNAL_FLOW_COOKIE, cookie, { ...flowCookie(request), maxAge: FLOW_MS });
    redirect(response, location.href);
  } catch (error) {
    fail(deps, response, error, null);
  }
}

async function callback(
  deps: AuthDependencies,
  request: Request<{ provider: string }>,
  response: Response,
): Promise<void> {
  const cookie = cookieIn(request.headers.cookie, EXTERNAL_FLOW_COOKIE);
  response.clearCookie(EXTERNAL_FLOW_COOKIE, flowCookie(request));
  try {
    const at = request.originalUrl.indexOf('?');
    const outcome = await deps.external.finish(
      request.params.provider,
      at === -1 ? '' : request.originalUrl.slice(at),
      cookie,
      await sessionOf(deps, request),
      { address: request.ip ?? null, userAgent: request.headers['user-agent'] ?? null },
    );
    answer(deps, request, response, outcome);
  } catch (error) {
    fail(deps, response, error, null);
  }
}

function answer(deps: AuthDependencies, request: Request, response: Response, outcome: Outcome): void {
  switch (outcome.kind) {
    case 'signed-in': {
      const { token, expiresAt } = outcome.session;
      response.cookie(SESSION_COOKIE, token, { ...cookieOptions(request.secure), expires: expiresAt });
      redirect(response, outcome.returnTo);
      return;
    }
    case 'linked':
      redirect(response, outcome.returnTo);
      return;
    case 'pending':
      response.cookie(PENDING_SIGN_IN_COOKIE, outcome.cookie, {
        ...cookieOptions(request.secure, '/graphql'),
        maxAge: FLOW_MS,
      });
      redirect(response, withQuery(SIGN_IN_PAGE, { totp: '1', return: outcome.returnTo }));
      return;
    case 'failed':
      fail(deps, response, outcome.error, outcome.returnTo);
  }
}

/** @param returnTo where they came from; null for the sign-in page */
function fail(deps: AuthDependencies, response: Response, thrown: unknown, returnTo: string | null): void {
  if (!(thrown instanceof SluiceError)) throw thrown;
  if (thrown.status >= 500)
    deps.log.error(
      { requestId: identityOf(response).requestId, code: thrown.code, err: thrown.cause ?? thrown },
      'a sign-in at an identity provider failed',
    );
  redirect(response, withQuery(returnTo ?? SIGN_IN_PAGE, { error: thrown.code }));
}

/** To link an identity is a change: another site's link must not begin it. @throws SluiceError unauthenticated */
async function requireOwnClick(deps: AuthDependencies, request: Request): Promise<SessionIdentity> {
  const from = request.headers['sec-fetch-site'];
  const identity = from === 'cross-site' || from === 'same-site' ? null : await sessionOf(deps, request);
  if (identity === null) throw new SluiceError('unauthenticated');
  return identity;
}

async function sessionOf({ sessions }: AuthDependencies, request: Request): Promise<SessionIdentity | null> {
  const token = sessionTokenIn(request.headers.cookie);
  return token === null ? null : sessions.authenticate(token);
}

/** One a provider, so that two that are begun beside each other do not meet. */
function flowCookie(request: Request) {
  return cookieOptions(request.secure, `/auth/${encodeURIComponent(String(request.params.provider))}`);
}

function withQuery(path: string, values: Readonly<Record<string, string>>): string {
  const [before = '', hash] = path.split('#', 2);
  const query = new URLSearchParams(
    Object.entries(values).filter(([name, value]) => name !== 'return' || value !== '/'),
  );
  return `${before}${before.includes('?') ? '&' : '?'}${query}${hash === undefined ? '' : `#${hash}`}`;
}

/** No cache keeps it, and the provider's code in the address goes nowhere else. */
function redirect(response: Response, to: string): void {
  response.writeHead(303, {
    location: to,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-request-id': identityOf(response).requestId,
    'content-length': '0',
  });
  response.end();
}
