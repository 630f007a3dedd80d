import type { UsageLog as UsageLogEntity } from '../../database/entities/usage-log.entity.ts';
import type { TimeOrder } from '../../services/usage/usage-order.ts';
import type { UsageService } from '../../services/usage/usage.service.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromTimeCursor, toConnection, toCursor, type PageRequest } from '../relay/page.ts';
import { toUsageLog } from './usage-log.mapping.ts';
import type { UsageLogConnection } from './usage-log.types.ts';

type Filter = Parameters<UsageService['logs']>[1];

/** @throws SluiceError bad_user_input for an invalid cursor */
export async function logPage(
  context: GraphqlContext,
  usage: Pick<UsageService, 'logs'>,
  filter: Filter,
  request: PageRequest,
  order: TimeOrder = 'time_desc',
): Promise<UsageLogConnection> {
  const { accountId } = await context.caller();
  const { limit, from, backwards } = request;
  const isAscending = backwards === (order === 'time_desc');
  const found = await usage.logs(accountId, filter, limit, positionOf(from, backwards), isAscending);
  return toLogConnection(found, request);
}

export function toLogConnection(
  found: { readonly rows: readonly UsageLogEntity[]; readonly hasMore: boolean },
  request: PageRequest,
): UsageLogConnection {
  return toConnection(found, request, (row) => ({
    cursor: toCursor([row.beganAt.toISOString(), row.eventId]),
    node: toUsageLog(row),
  }));
}

export function positionOf(cursor: string | null, backwards: boolean): { beganAt: Date; eventId: string } | null {
  if (!cursor) return null;
  const { at, id } = fromTimeCursor(cursor, backwards);
  return { beganAt: at, eventId: id };
}
