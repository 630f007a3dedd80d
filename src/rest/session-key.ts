import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../errors/index.ts';
import type { KeyRecord } from '../gateway/key-directory.ts';
import { hostOf, selectedAccountIn } from '../services/accounts/request-credentials.ts';
import type { SiteCookies } from '../services/accounts/site-cookies.ts';
import type { CallersDirectory } from './account-of-caller.ts';
import { checkHost, type IsKnownHost } from './known-host.ts';

/** The key that a signed-in user's call to `/v1` runs as. */
export interface SessionKeys {
  /** @throws SluiceError unauthenticated | forbidden | not_found | database_unavailable, as the promise's rejection */
  keyOf(request: IncomingMessage): Promise<KeyRecord>;
}

export interface SessionKeysDependencies extends CallersDirectory {
  readonly directory: { dashboardKey(accountId: string, memberId: string): Promise<KeyRecord> };
  /** What the account connected itself is known before its key is used. */
  readonly connections: { ready(accountId: string): Promise<void> | undefined };
  readonly isKnownHost: IsKnownHost;
  readonly cookies: SiteCookies;
  /** Gives keys their budgets. */
  readonly spenders: { of(key: KeyRecord): KeyRecord | Promise<KeyRecord> };
}

/** What a page says who means its session. Another site's page cannot send it: its browser asks us first, and we allow no cookies. */
const SESSION_HEADER = 'x-sluice-session';

/** Whether a call without a key asks to run in its session's name. */
export function meansSession(request: IncomingMessage): boolean {
  return request.headers[SESSION_HEADER] !== undefined;
}

/** The dashboard calls `/v1` by its session cookie: no key has to come into a browser for it. */
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

/** Whether one of this host's own pages sent it, as far as its browser tells. A read within one origin tells no origin. */
function isOwnPage(request: IncomingMessage): boolean {
  const { headers } = request;
  const { origin } = headers;
  const from = headers['sec-fetch-site'];
  if (from !== undefined && from !== 'same-origin') return false;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === hostOf(request));
}
