import { UNPRICED } from '../../catalogue/catalogue.ts';
import { cacheSavings, explainCost } from '../../catalogue/prices/explain-cost.ts';
import type { PricedTokens } from '../../catalogue/prices/token-rates.ts';
import type { UsageLog as UsageLogEntity } from '../../database/entities/usage-log.entity.ts';
import { requestIdOf } from '../../gateway/event-id.ts';
import { tokenUsage } from '../../gateway/capabilities/capability.ts';
import type { UsageStatus } from '../../gateway/usage/usage-record.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { usd } from '../scalars/money.type.ts';
import type { UsageAttempt } from './attempts/usage-attempt.types.ts';
import { OrderedBy, SkipReason, type UsageRouting } from './attempts/usage-routing.types.ts';
import type { RecordedRouting } from '../../gateway/routing/selection/routing-decision.ts';
import { RequestStatus, TextProtocol, type CostStep, type UsageLog, type UsageUnit } from './usage-log.types.ts';

const statuses: Readonly<Record<UsageStatus, RequestStatus>> = {
  succeeded: RequestStatus.SUCCEEDED,
  failed: RequestStatus.FAILED,
  aborted: RequestStatus.ABORTED,
  interrupted: RequestStatus.INTERRUPTED,
  rejected: RequestStatus.REJECTED,
};

const protocols: Readonly<Record<NonNullable<UsageLogEntity['protocol']>, TextProtocol>> = {
  'chat-completions': TextProtocol.CHAT_COMPLETIONS,
  completions: TextProtocol.COMPLETIONS,
  responses: TextProtocol.RESPONSES,
  messages: TextProtocol.MESSAGES,
  gemini: TextProtocol.GEMINI,
};

export function toUsageLog(row: UsageLogEntity): UsageLog {
  return {
    id: toGlobalId('UsageLog', row.eventId),
    requestId: requestIdOf(row.eventId),
    createdAt: row.beganAt,
    apiKeyId: row.apiKeyId,
    memberId: row.memberId,
    member: row.memberId === null ? null : toGlobalId('User', row.memberId),
    requests: row.units?.requests ?? 1,
    capability: row.capability,
    protocol: row.protocol === null ? null : protocols[row.protocol],
    model: row.model,
    requestedModel: row.requestedModel,
    servedModel: row.units?.servedModel ?? null,
    provider: row.provider,
    status: statuses[row.status],
    httpStatus: row.httpStatus,
    errorCode: row.errorCode,
    streamed: row.streamed,
    estimated: row.estimated,
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    cachedTokens: row.cachedTokens,
    reasoningTokens: row.reasoningTokens,
    units: unitsOf(row),
    cost: usd(row.costNano),
    isUnpriced: row.priceVersion === UNPRICED,
    priceVersion: row.priceVersion,
    finishReason: row.finishReason,
    durationMs: row.durationMs,
    firstTokenMs: row.firstTokenMs,
    admittedMs: row.admittedMs,
    lastOutputMs: row.lastOutputMs,
    endUser: row.endUser,
    tags: Object.entries(row.tags ?? {})
      .map(([name, value]) => ({ name, value }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    sessionId: row.sessionId,
    parentId: row.parentId,
    traceId: row.traceId,
    attempts: row.attempts.map(toAttempt),
    routing: row.routing && toRouting(row.routing),
    cacheSavings: savings(row),
    explanation: explanation(row),
  };
}

function toAttempt(attempt: UsageLogEntity['attempts'][number], index: number): UsageAttempt {
  const { provider, model, status, error, duration_ms: durationMs } = attempt;
  const { error_type: errorType = null, error_code: errorCode = null, message: errorMessage = null } = attempt;
  const { request_id: requestId = null, head_ms: headMs = null, rate_limits: limits = {} } = attempt;
  // The first one starts at 0 unless it states another time.
  const startedMs = attempt.started_ms ?? (index === 0 ? 0 : null);
  const failure = { error, errorType, errorCode, errorMessage };
  const rateLimits = Object.entries(limits).map(([name, value]) => ({ name, value }));
  return { provider, model, status, ...failure, requestId, rateLimits, startedMs, headMs, durationMs };
}

function toRouting({ ordered_by: orderedBy, skipped = [] }: RecordedRouting): UsageRouting {
  return {
    orderedBy: orders.find((each) => each === orderedBy) ?? OrderedBy.LISTED,
    skipped: skipped.map(({ provider, model, reason }) => ({
      provider,
      model,
      reason: reason === 'not_allowed' ? SkipReason.NOT_ALLOWED : SkipReason.COOLING_DOWN,
    })),
  };
}

const orders = Object.values(OrderedBy);

function explanation(row: UsageLogEntity): CostStep[] {
  if (row.rates === null) return [];
  return explainCost(row.rates, usedBy(row), row.markupPpm ?? 0).map(({ amountNano, ...step }) => ({
    ...step,
    quantity: String(step.quantity),
    tokens: step.unit === 'token' ? step.quantity : 0,
    amount: usd(amountNano),
  }));
}

function savings(row: UsageLogEntity): UsageLog['cacheSavings'] {
  const saved = row.rates === null ? null : cacheSavings(row.rates, usedBy(row), row.markupPpm ?? 0);
  return saved === null ? null : usd(saved);
}

function usedBy(row: UsageLogEntity): PricedTokens {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens, units } = row;
  return { ...tokenUsage(inputTokens, outputTokens), ...units, cachedTokens, reasoningTokens };
}

/** Unit names in snake case: `cache_write_tokens`. */
function unitsOf({ units }: UsageLogEntity): UsageUnit[] {
  const { media = [], serviceTier: _tier, servedModel: _served, requests: _requests, ...counts } = units ?? {};
  const { longestInput: _longest, ...tokens } = counts;
  const counted = Object.entries(tokens).map(([name, quantity]) => ({
    unit: name.replace(/[A-Z0-9]+/g, (part) => `_${part.toLowerCase()}`),
    quantity: String(quantity),
  }));
  return [...counted, ...media.map(({ unit, quantity }) => ({ unit, quantity: String(quantity) }))];
}
