import { explainCost } from '../../catalogue/price.ts';
import type { UsageLog as UsageLogEntity } from '../../database/entities/usage-log.entity.ts';
import { requestIdOf } from '../../gateway/event-id.ts';
import type { UsageStatus } from '../../gateway/usage-record.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { usd } from '../scalars/money.type.ts';
import { RequestStatus, type CostStep, type UsageLog } from './usage-log.types.ts';

const statuses: Readonly<Record<UsageStatus, RequestStatus>> = {
  succeeded: RequestStatus.SUCCEEDED,
  failed: RequestStatus.FAILED,
  aborted: RequestStatus.ABORTED,
  interrupted: RequestStatus.INTERRUPTED,
};

export function toUsageLog(row: UsageLogEntity): UsageLog {
  return {
    id: toGlobalId('UsageLog', row.eventId),
    requestId: requestIdOf(row.eventId),
    createdAt: row.beganAt,
    apiKeyId: row.apiKeyId,
    member: row.memberId === null ? null : toGlobalId('User', row.memberId),
    capability: row.capability,
    model: row.model,
    provider: row.provider,
    status: statuses[row.status],
    errorCode: row.errorCode,
    streamed: row.streamed,
    estimated: row.estimated,
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    cachedTokens: row.cachedTokens,
    reasoningTokens: row.reasoningTokens,
    cost: usd(row.costNano),
    priceVersion: row.priceVersion,
    finishReason: row.finishReason,
    durationMs: row.durationMs,
    firstTokenMs: row.firstTokenMs,
    endUser: row.endUser,
    attempts: row.attempts.map(({ provider, model, status, error, duration_ms: durationMs }) => ({
      provider,
      model,
      status,
      error,
      durationMs,
    })),
    explanation: explanation(row),
  };
}

function explanation(row: UsageLogEntity): CostStep[] {
  if (row.rates === null) return [];
  const tokens = {
    input: row.inputTokens,
    output: row.outputTokens,
    cached: row.cachedTokens,
    reasoning: row.reasoningTokens,
  };
  return explainCost(row.rates, tokens).map(({ label, tokens: count, rate, amountNano }) => ({
    label,
    tokens: count,
    rate,
    amount: usd(amountNano),
  }));
}
