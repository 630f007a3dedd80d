import { SluiceError } from '../../errors/index.ts';
import type { ComparisonsService } from '../../services/comparisons/comparisons.service.ts';
import type { Action } from '../../services/authorization/authorization.ts';
import type { Callers } from '../../services/authorization/callers.ts';
import type { Caller, GraphqlContext } from '../operation/context.ts';

/**
 * The caller, if it may do this to the comparison. A key with only `inference` may access the comparisons that it started.
 * @throws SluiceError not_found | forbidden | insufficient_scope | database_unavailable
 */
export async function requireComparison(
  context: GraphqlContext,
  action: Action,
  id: string,
  callers: Pick<Callers, 'reachOf'>,
  comparisons: Pick<ComparisonsService, 'get'>,
): Promise<Caller> {
  const caller = await context.caller();
  if (caller.kind === 'session') return context.require(action);
  const { accountId, apiKeyId } = await callers.reachOf(caller.key, action);
  if (apiKeyId === null) return caller;
  const { row } = await comparisons.get(accountId, id, new Set());
  if (row.apiKeyId !== apiKeyId) throw new SluiceError('not_found', { values: { what: 'comparison' } });
  return caller;
}
