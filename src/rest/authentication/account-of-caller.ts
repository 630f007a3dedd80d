import type { Request } from 'express';
import type { Action } from '../../services/authorization/authorization.ts';
import type { Callers } from '../../services/authorization/callers.ts';
import { apiKeyIn, selectedAccountIn } from '../../services/client-request/request-credentials.ts';
import type { SiteCookies } from '../../services/sessions/site-cookies.ts';

export interface CallersDirectory {
  readonly callers: Callers;
  readonly cookies: SiteCookies;
}

/**
 * The account that a key or a signed-in user selects, if it permits the action. `?account=` is accepted too, because links cannot
 * send headers.
 * @throws SluiceError unauthenticated | conflicting_api_keys | invalid_api_key | insufficient_scope | forbidden | not_found | account_deleted
 */
export async function accountOfCaller(
  { callers, cookies }: CallersDirectory,
  request: Request,
  action: Action,
): Promise<string> {
  const { headers } = request;
  const caller = await callers.find({
    apiKey: apiKeyIn(headers),
    sessionToken: cookies.sessionIn(headers.cookie),
    accountId: selectedAccountIn(headers['x-sluice-account'] ?? request.query.account),
  });
  await callers.require(caller, action);
  return caller.accountId;
}
