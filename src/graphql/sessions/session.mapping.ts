import type { UsageLog as UsageLogRow } from '../../database/entities/usage-log.entity.ts';
import { requestIdOf } from '../../gateway/event-id.ts';
import type { RequestSession as StoredSession } from '../../services/usage/sessions/request-sessions.ts';
import { sessionTree } from '../../services/usage/sessions/session-tree.ts';
import { toUsageLog } from '../usage/usage-log.mapping.ts';
import { toUsageTotals } from '../usage/usage-report.mapping.ts';
import type { RequestSession, SessionRequest } from './session.types.ts';

export function toSession(stored: StoredSession): RequestSession {
  const { sessionId, firstRequestAt, lastRequestAt, endedAt, models, apiKeyIds: _keys, ...totals } = stored;
  const durationMs = endedAt.getTime() - firstRequestAt.getTime();
  return {
    sessionId,
    firstRequestAt,
    lastRequestAt,
    endedAt,
    durationMs,
    usage: toUsageTotals(totals),
    models,
    stored,
  };
}

export function toSessionRequests(rows: readonly UsageLogRow[]): SessionRequest[] {
  return sessionTree(rows).map(({ row, depth, parentEventId, step }) => ({
    request: toUsageLog(row),
    depth,
    parentRequestId: parentEventId === null ? null : requestIdOf(parentEventId),
    step,
  }));
}
