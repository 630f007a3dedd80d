import express, { type Request, type Response, type Router } from 'express';
import { z } from 'zod';
import { SluiceError } from '../../errors/index.ts';
import { parseJsonBody } from '../../gateway/capabilities/json-body.ts';
import type { SessionIdentity, SessionsService } from '../../services/sessions/sessions.service.ts';
import type { SiteCookies } from '../../services/sessions/site-cookies.ts';
import {
  FLOW_LIFETIME_MS,
  type ExternalSignIn,
  type Outcome,
} from '../../services/identity/external/external-sign-in.ts';
import { sendJson } from '../http/send-json.ts';
import { onlyMethods, type EdgeLog } from '../http/errors.ts';
import { auditOriginOf } from '../authentication/audit-origin.ts';
import { withAuditContext } from '../../services/audit/audit-context.ts';
import { readBody } from '../body/read-body.ts';
import { identityOf, requireJson } from '../headers/request-headers.ts';

export interface AuthDependencies {
  readonly external: ExternalSignIn;
  readonly sessions: SessionsService;
  readonly cookies: SiteCookies;
  readonly log: EdgeLog;
}

const SIGN_IN_PAGE = '/sign-in';
/** The body contains a path. */
const MAX_BYTES = 10_000;

const startBody = z.object({ return: z.string().optional() });

/**
 * `GET /auth/{provider}/start` and `/callback`: sign-in at an identity provider. Errors redirect the browser to the sign-in page
 * with their code. `POST /auth/{provider}/start` is for the sign-in page itself.
 */
export function buildAuthRouter(deps: AuthDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  router
    .route('/auth/:provider/start')
    .get((request, response) => start(deps, request, response))
    .post((request, response) => startForPage(deps, request, response))
    .all(onlyMethods('GET', 'HEAD', 'POST', 'OPTIONS'));
  router
    .route('/auth/:provider/callback')
    .get((request, response) =>
      withAuditContext(auditOriginOf(request, response), () => callback(deps, request, response)),
    )
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
    const { link: ticket } = request.query;
    const linking = typeof ticket === 'string' ? { ...(await requireSameOriginSession(deps, request)), ticket } : null;
    const { location, cookie } = await deps.external.start(provider, request.query.return, linking);
    keepFlow(deps, request, response, cookie);
    redirect(response, location.href);
  } catch (error) {
    fail(deps, response, error, null);
  }
}

/**
 * For the sign-in page, which then navigates to `location`. The return path is in the body, because it may end in a token behind a
 * hash, as for invitations, and request URLs are logged.
 */
async function startForPage(
  deps: AuthDependencies,
  request: Request<{ provider: string }>,
  response: Response,
): Promise<void> {
  requireJson(request);
  const body = await new Promise<Buffer>((done, fail) => readBody(request, MAX_BYTES, done, fail));
  const given = startBody.safeParse(parseJsonBody(body));
  const { location, cookie } = await deps.external.start(request.params.provider, given.data?.return, null);
  keepFlow(deps, request, response, cookie);
  response.setHeader('cache-control', 'no-store');
  sendJson(response, 200, JSON.stringify({ location: location.href }));
}

async function callback(
  deps: AuthDependencies,
  request: Request<{ provider: string }>,
  response: Response,
): Promise<void> {
  const { provider } = request.params;
  const cookie = deps.cookies.flowIn(request.headers.cookie, provider);
  const { name, options } = deps.cookies.flow(request.secure, provider);
  response.clearCookie(name, options);
  try {
    const at = request.originalUrl.indexOf('?');
    const outcome = await deps.external.finish(
      provider,
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
      const { name, options } = deps.cookies.session(request.secure);
      response.cookie(name, token, { ...options, expires: expiresAt });
      redirect(response, outcome.returnTo);
      return;
    }
    case 'linked':
      redirect(response, outcome.returnTo);
      return;
    case 'pending': {
      const { name, options } = deps.cookies.pending(request.secure);
      response.cookie(name, outcome.cookie, { ...options, maxAge: FLOW_LIFETIME_MS });
      redirect(response, toCodePage(outcome.returnTo));
      return;
    }
    case 'failed':
      fail(deps, response, outcome.error, outcome.returnTo);
  }
}

/** @param returnTo the page that started the sign-in; null for the sign-in page */
function fail(deps: AuthDependencies, response: Response, thrown: unknown, returnTo: string | null): void {
  if (!(thrown instanceof SluiceError)) throw thrown;
  if (thrown.status >= 500)
    deps.log.error(
      { requestId: identityOf(response).requestId, code: thrown.code, err: thrown.cause ?? thrown },
      'sign-in at an identity provider failed',
    );
  redirect(response, withQuery(returnTo ?? SIGN_IN_PAGE, { error: thrown.code }));
}

/** Linking an identity changes the account: a link on another site must not start it. @throws SluiceError unauthenticated */
async function requireSameOriginSession(deps: AuthDependencies, request: Request): Promise<SessionIdentity> {
  const from = request.headers['sec-fetch-site'];
  const identity = from === 'cross-site' || from === 'same-site' ? null : await sessionOf(deps, request);
  if (identity === null) throw new SluiceError('unauthenticated');
  return identity;
}

async function sessionOf({ sessions, cookies }: AuthDependencies, request: Request): Promise<SessionIdentity | null> {
  const token = cookies.sessionIn(request.headers.cookie);
  return token === null ? null : sessions.authenticate(token);
}

function keepFlow(
  { cookies }: AuthDependencies,
  request: Request<{ provider: string }>,
  response: Response,
  cookie: string,
): void {
  const { name, options } = cookies.flow(request.secure, request.params.provider);
  response.cookie(name, cookie, { ...options, maxAge: FLOW_LIFETIME_MS });
}

/** The fragment of the return path stays a fragment. */
function toCodePage(returnTo: string): string {
  const [path = '', hash] = returnTo.split('#', 2);
  return withQuery(hash === undefined ? SIGN_IN_PAGE : `${SIGN_IN_PAGE}#${hash}`, { totp: '1', return: path });
}

function withQuery(path: string, values: Readonly<Record<string, string>>): string {
  const [before = '', hash] = path.split('#', 2);
  const query = new URLSearchParams(
    Object.entries(values).filter(([name, value]) => name !== 'return' || value !== '/'),
  );
  return `${before}${before.includes('?') ? '&' : '?'}${query}${hash === undefined ? '' : `#${hash}`}`;
}

/** Not cached, and without a referrer, which would contain the provider's code. */
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
