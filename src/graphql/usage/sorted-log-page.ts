import { SluiceError } from '../../errors/index.ts';
import type { SortedPosition, SortedUsage } from '../../services/usage/sorted-usage.ts';
import type { UsageLogFilter } from '../../services/usage/usage-conditions.ts';
import type { FigureOrder } from '../../services/usage/usage-order.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromCursor, toConnection, toCursor, type PageRequest } from '../relay/page.ts';
import { toUsageLog } from './usage-log.mapping.ts';
import type { UsageLogConnection } from './usage-log.types.ts';

/** @throws SluiceError bad_user_input for an invalid cursor, and for one of another order */
export async function sortedPage(
  context: GraphqlContext,
  sorted: SortedUsage,
  filter: UsageLogFilter,
  request: PageRequest,
  order: FigureOrder,
): Promise<UsageLogConnection> {
  const { accountId } = await context.caller();
  const { limit, backwards } = request;
  const from = request.from === null ? null : positionOf(request.from, order, backwards);
  const found = await sorted.page(accountId, filter, order, { limit, from, backwards });
  return toConnection(found, request, ({ row, position: { figure, beganAt, eventId, until } }) => ({
    cursor: toCursor([order, figure, beganAt.toISOString(), eventId, until.toISOString()]),
    node: toUsageLog(row),
  }));
}

function positionOf(cursor: string, order: FigureOrder, backwards: boolean): SortedPosition {
  const [name, figure = '', at = '', eventId = '', end = ''] = fromCursor(cursor, 5, backwards);
  const [beganAt, until] = [new Date(at), new Date(end)];
  const isValid =
    name === order &&
    /^-?\d{1,18}$/.test(figure) &&
    /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(eventId) &&
    [beganAt, until].every((time) => time.getTime() >= 0);
  if (isValid) return { figure, beganAt, eventId, until };
  throw new SluiceError('bad_user_input', {
    param: backwards ? 'before' : 'after',
    values: { reason: 'this cursor is of another order. Start with the first page.' },
  });
}
