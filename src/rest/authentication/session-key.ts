import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import { hostOf, selectedAccountIn } from '../../services/client-request/request-credentials.ts';
import type { SiteCookies } from '../../services/sessions/site-cookies.ts';
import type { CallersDirectory } from './account-of-caller.ts';
import { checkHost, type IsKnownHost } from '../http/known-host.ts';

/** The keys for `/v1` requests of signed-in users. */
export interface SessionKeys {
  /** @throws SluiceError unauthenticated | forbidden | not_found | database_unavailable, as the promise's rejection */
  keyOf(request: IncomingMessage): Promise<KeyRecord>;
}

export interface SessionKeysDependencies extends CallersDirectory {
  readonly directory: { dashboardKey(accountId: string, memberId: string): Promise<KeyRecord> };
  /** The account's connections must be loaded before its key is used. */
  readonly connections: { ready(accountId: string): Promise<void> | undefined };
  readonly isKnownHost: IsKnownHost;
  readonly cookies: SiteCookies;
  /** Adds budgets to keys. */
  readonly spenders: { of(key: KeyRecord): KeyRecord | Promise<KeyRecord> };
}

/** Header of session requests. Pages of other sites cannot send it: it requires a preflight, which allows no credentials. */
const SESSION_HEADER = 'x-sluice-session';

/** Whether a request without a key authenticates by its session. */
export function usesSession(request: IncomingMessage): boolean {
  return request.headers[SESSION_HEADER] !== undefined;
}

/** The dashboard calls `/v1` with its session cookie, so that browsers need no API key. */
export function sessionKeys(deps: SessionKeysDependencies): SessionKeys {
  const { callers, directory, connections, spenders, isKnownHost, cookies } = deps;
  return {
    keyOf: async (request) => {
      checkHost(request, isKnownHost);
      if (!isOwnPage(request)) throw new SluiceError('unauthenticated');
      const caller = await callers.find({
        apiKey: null,
        sessionToken: cookies.sessionIn(request.headers.cookie),
        accountId: selectedAccountIn(request.headers['x-sluice-account']),
      });
      await callers.require(caller, 'completions.run');
      if (caller.kind !== 'session') throw new SluiceError('unauthenticated');
      const { accountId, identity } = caller;
      await connections.ready(accountId);
      return spenders.of(await directory.dashboardKey(accountId, identity.userId));
    },
  };
}

/** Whether a page of this host sent the request, by its fetch metadata. Same-origin GET requests have no `origin`. */
function isOwnPage(request: IncomingMessage): boolean {
  const { headers } = request;
  const { origin } = headers;
  const from = headers['sec-fetch-site'];
  if (from !== undefined && from !== 'same-origin') return false;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === hostOf(request));
}
