import { SluiceError } from '../../errors/index.ts';
import type { Action } from '../../services/authorization/authorization.ts';
import type { Caller, GraphqlContext } from '../context.ts';

/**
 * The caller, if it may do this to the comparison. A key with only `inference` may access the comparisons that it started.
 * @throws SluiceError not_found | forbidden | insufficient_scope | database_unavailable
 */
export async function requireComparison(context: GraphqlContext, action: Action, id: string): Promise<Caller> {
  const caller = await context.caller();
  const { callers, comparisons } = context.services;
  if (caller.kind === 'session') return context.require(action);
  const { accountId, apiKeyId } = await callers.reachOf(caller.key, action);
  if (apiKeyId === null) return caller;
  const { row } = await comparisons.get(accountId, id, new Set());
  if (row.apiKeyId !== apiKeyId) throw new SluiceError('not_found', { values: { what: 'comparison' } });
  return caller;
}
