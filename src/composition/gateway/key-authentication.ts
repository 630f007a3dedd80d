import type { WiredAccounts } from './accounts.ts';
import type { WiredBudgets } from './budgets.ts';
import type { KeyAuthentication } from '../../rest/authentication/authenticate.ts';
import type { IsKnownHost } from '../../rest/http/known-host.ts';
import { sessionKeys } from '../../rest/authentication/session-key.ts';
import type { Callers } from '../../services/authorization/callers.ts';
import type { SiteCookies } from '../../services/sessions/site-cookies.ts';
import type { MemoryKeyDirectory } from '../../services/keys/key-directory.ts';

export interface KeyAuthenticationOptions {
  readonly keys: MemoryKeyDirectory;
  readonly callers: Callers;
  readonly accounts: WiredAccounts;
  readonly budgets: WiredBudgets;
  readonly isKnownHost: IsKnownHost;
  readonly cookies: SiteCookies;
}

/** Authentication for `/v1`: API keys, and sessions of the dashboard. Both are loaded with the connections and budgets of their account. */
export function wireKeyAuthentication({
  keys,
  callers,
  accounts,
  budgets,
  isKnownHost,
  cookies,
}: KeyAuthenticationOptions): KeyAuthentication {
  return {
    keys: budgets.preparing(accounts.preparing(keys)),
    sessionKeys: sessionKeys({
      callers,
      directory: keys,
      isKnownHost,
      cookies,
      connections: accounts.connections,
      spenders: budgets.cache,
    }),
  };
}
